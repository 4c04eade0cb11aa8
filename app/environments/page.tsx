import { pages } from "#server/domain/pages.ts";
import type { Metadata } from "next";
import { PageHead } from "#app/_components/PageHead.tsx";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { EnvironmentsView } from "./_playground/EnvironmentsView.tsx";

export const metadata: Metadata = { title: "Environments" };

/** Page on which the user plays an environment, for example `?environment=sokoban&size=7&split=seen&task=3`. */
export default async function EnvironmentsPage() {
  await makePrefetch(pages.environments);
  return (
    <>
      <PageHead title="Environments">
        Tasks on which policies are trained. If you play a task yourself, you see the text that a policy reads.
      </PageHead>
      <EnvironmentsView />
    </>
  );
}
