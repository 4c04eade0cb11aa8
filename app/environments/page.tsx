import type { Metadata } from "next";
import { PageHead } from "#app/_components/PageHead.tsx";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { EnvironmentsView } from "./_playground/EnvironmentsView.tsx";
import { parseSettings } from "./_playground/settings.ts";

export const metadata: Metadata = { title: "Environments" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

/** `?environment=sokoban&size=7&split=seen&task=3`: everything that decides an episode is in the address. */
export default async function EnvironmentsPage({ searchParams }: Props) {
  await makePrefetch("/environments");
  const given = Object.entries(await searchParams).flatMap(([key, value]) =>
    typeof value === "string" ? [[key, value]] : [],
  );
  return (
    <>
      <PageHead title="Environments">
        What policies are trained in. Play one yourself: what you see is what a policy reads.
      </PageHead>
      <EnvironmentsView initial={parseSettings(Object.fromEntries(given))} />
    </>
  );
}
