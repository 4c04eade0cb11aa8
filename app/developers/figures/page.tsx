import type { Metadata } from "next";
import { PageHead } from "#app/_components/PageHead.tsx";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { figuresPage } from "#server/domain/pages.ts";
import { FigureList } from "./FigurePanes.tsx";

export const metadata: Metadata = { title: "Figures" };

/** Page for developers: all figures of the studio, each alone and in both themes. */
export default async function FiguresPage() {
  await makePrefetch(figuresPage);
  return (
    <>
      <PageHead title="Figures">Each figure alone, in both themes, drawn from stored runs.</PageHead>
      <FigureList />
    </>
  );
}
