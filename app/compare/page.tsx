import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { chooseSweeps } from "#app/_components/sweeps/chooseSweeps.ts";
import { nameSweeps } from "#app/_components/sweeps/nameSweeps.server.ts";
import { MissingSweeps } from "#app/_components/sweeps/MissingSweeps.tsx";
import { NoSweepsYet } from "#app/_components/sweeps/NoSweepsYet.tsx";
import { PageHead } from "#app/_components/PageHead.tsx";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { toAddress, type PageQuery } from "#app/_ui/address.ts";
import { maxCompared } from "#app/_components/comparePath.ts";
import { readCompared } from "./_runs/comparedAddress.ts";
import { RunComparison } from "./_runs/RunComparison.tsx";
import { CompareView } from "./CompareView.tsx";

export const metadata: Metadata = { title: "Compare" };

type Props = { searchParams: Promise<PageQuery> };

/** `?runs=` and `?cells=` compare those, from any sweeps. Without `?sweep=` the newest sweep that has trained is compared. */
export default async function ComparePage({ searchParams }: Props) {
  const query = await searchParams;
  const { sweep, runs, cells } = query;
  const { trpc, queryClient, state } = await makePrefetch(toAddress("/compare", query));
  const compared = readCompared({ runs: [runs ?? []].flat().join(","), cells: [cells ?? []].flat().join(",") });
  if (compared.runIds.length > 0 || compared.cellIds.length > 0) {
    const configurations = await queryClient.fetchQuery(trpc.comparison.configurations.queryOptions(compared));
    // Prefetched, so that everything below the differences keeps its place from the first paint on.
    const scope = { runIds: configurations.runIds.slice(0, maxCompared) };
    await queryClient.prefetchQuery(trpc.series.keys.queryOptions({ scope }));
    return (
      <HydrationBoundary state={state()}>
        <RunComparison compared={compared} />
      </HydrationBoundary>
    );
  }
  const sweeps = await queryClient.fetchQuery(trpc.sweep.list.queryOptions());
  const { sweepIds, missing } = chooseSweeps(sweep, sweeps);
  nameSweeps("/compare", query, sweepIds);
  const gone = <MissingSweeps missing={missing} path="/compare" sweeps={sweeps} />;
  if (sweeps.length === 0) {
    return (
      <>
        {gone}
        <NoSweepsYet page="Compare" title="No sweep to compare yet">
          Launch a sweep to compare its methods here.
        </NoSweepsYet>
      </>
    );
  }
  if (sweepIds.length === 0) {
    return (
      <>
        <PageHead title="Compare" />
        {gone}
      </>
    );
  }
  await Promise.all([
    queryClient.prefetchQuery(trpc.run.grid.queryOptions({ sweepIds })),
    queryClient.prefetchQuery(trpc.series.keys.queryOptions({ scope: { sweepIds } })),
  ]);
  return (
    <HydrationBoundary state={state()}>
      {gone}
      <CompareView sweepIds={sweepIds} />
    </HydrationBoundary>
  );
}
