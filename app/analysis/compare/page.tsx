import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { pages } from "#server/domain/pages.ts";
import { ChosenSweeps } from "#app/_components/sweeps/ChosenSweeps.server.tsx";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { toAddress, toSearchParams, type PageProps, type PageQuery } from "#app/_ui/address.ts";
import { maxCompared } from "#app/_components/comparePath.ts";
import { askFinals, readCompared, type Compared } from "./_runs/comparedAddress.ts";
import { RunComparison } from "./_runs/RunComparison.tsx";
import { CompareView } from "./CompareView.tsx";

export const metadata: Metadata = { title: "Compare" };

/** Page that compares runs (`?runs=`) and configurations (`?cell=`) of any sweeps; by default, the chosen sweeps. */
export default async function ComparePage({ searchParams }: PageProps) {
  const query = await searchParams;
  const compared = readCompared(toSearchParams(query));
  if (Object.values(compared).some((some) => some.length > 0)) return compareRuns(compared, query);
  return (
    <ChosenSweeps
      path={pages.compare}
      query={query}
      title="Compare"
      empty="Launch a sweep to compare its methods here."
      prefetch={({ trpc, queryClient }, sweepIds) =>
        Promise.all([
          queryClient.prefetchQuery(trpc.run.grid.queryOptions({ sweepIds })),
          queryClient.prefetchQuery(trpc.series.keys.queryOptions({ scope: { sweepIds } })),
        ])
      }
    >
      {(sweepIds) => <CompareView sweepIds={sweepIds} />}
    </ChosenSweeps>
  );
}

async function compareRuns(compared: Compared, query: PageQuery) {
  const { trpc, queryClient, state, waitBriefly } = await makePrefetch(toAddress(pages.compare, query));
  const { configurations, runIds } = await queryClient.fetchQuery(
    trpc.comparison.configurations.queryOptions(compared),
  );
  // Prefetches the comparison, so that no content moves after the first paint. Runs of an old address may be gone.
  if (runIds.length > 0) {
    const scope = { runIds: runIds.slice(0, maxCompared) };
    const keys = await queryClient.fetchQuery(trpc.series.keys.queryOptions({ scope }));
    const input = askFinals({ compared, keys, configurations }, toSearchParams(query));
    if (input) await waitBriefly(queryClient.prefetchQuery(trpc.comparison.finals.queryOptions(input)));
  }
  return (
    <HydrationBoundary state={state()}>
      <RunComparison compared={compared} />
    </HydrationBoundary>
  );
}
