import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { chosenSweeps } from "#app/_components/chosenSweeps.ts";
import { NoSweepsYet } from "#app/_components/NoSweepsYet.tsx";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { StabilityView } from "./StabilityView.tsx";

export const metadata: Metadata = { title: "Stability" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

/** Without `?sweep=` the newest sweep is looked at. */
export default async function StabilityPage({ searchParams }: Props) {
  const { sweep, tab } = await searchParams;
  const { trpc, queryClient, state } = await makePrefetch("/stability");
  const sweeps = await queryClient.fetchQuery(trpc.sweep.list.queryOptions());
  const sweepIds = chosenSweeps(sweep, sweeps);
  if (sweepIds.length === 0) {
    return (
      <NoSweepsYet page="Stability" title="No runs yet">
        Detectors watch every run from its first iteration; what they find is gathered here.
      </NoSweepsYet>
    );
  }
  if (tab === undefined) await queryClient.prefetchQuery(trpc.stability.overview.queryOptions({ sweepIds }));
  return (
    <HydrationBoundary state={state()}>
      <StabilityView sweepIds={sweepIds} />
    </HydrationBoundary>
  );
}
