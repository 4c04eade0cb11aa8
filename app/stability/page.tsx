import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { chooseSweeps } from "#app/_components/sweeps/chooseSweeps.ts";
import { nameSweeps } from "#app/_components/sweeps/nameSweeps.server.ts";
import { MissingSweeps } from "#app/_components/sweeps/MissingSweeps.tsx";
import { NoSweepsYet } from "#app/_components/sweeps/NoSweepsYet.tsx";
import { PageHead } from "#app/_components/PageHead.tsx";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { toAddress, type PageQuery } from "#app/_ui/address.ts";
import { StabilityView } from "./StabilityView.tsx";

export const metadata: Metadata = { title: "Stability" };

type Props = { searchParams: Promise<PageQuery> };

/** Without `?sweep=` it shows the newest sweep that has trained. */
export default async function StabilityPage({ searchParams }: Props) {
  const query = await searchParams;
  const { sweep, tab } = query;
  const { trpc, queryClient, state, waitBriefly } = await makePrefetch(toAddress("/stability", query));
  const sweeps = await queryClient.fetchQuery(trpc.sweep.list.queryOptions());
  const { sweepIds, missing } = chooseSweeps(sweep, sweeps);
  nameSweeps("/stability", query, sweepIds);
  const gone = <MissingSweeps missing={missing} path="/stability" sweeps={sweeps} />;
  if (sweeps.length === 0) {
    return (
      <>
        {gone}
        <NoSweepsYet page="Stability" title="No runs yet">
          The detector watches every run from its first iteration and lists its events here.
        </NoSweepsYet>
      </>
    );
  }
  if (sweepIds.length === 0) {
    return (
      <>
        <PageHead title="Stability" />
        {gone}
      </>
    );
  }
  await waitBriefly(queryClient.prefetchQuery(trpc.stability.offers.queryOptions({ sweepIds })));
  if (tab === undefined)
    await waitBriefly(queryClient.prefetchQuery(trpc.stability.overview.queryOptions({ sweepIds })));
  return (
    <HydrationBoundary state={state()}>
      {gone}
      <StabilityView sweepIds={sweepIds} />
    </HydrationBoundary>
  );
}
