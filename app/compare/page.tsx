import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { chosenSweeps } from "#app/_components/chosenSweeps.ts";
import { NoSweepsYet } from "#app/_components/NoSweepsYet.tsx";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { CompareView } from "./CompareView.tsx";

export const metadata: Metadata = { title: "Compare" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

/** Without `?sweep=` the newest sweep is compared: there is always something to look at. */
export default async function ComparePage({ searchParams }: Props) {
  const { sweep } = await searchParams;
  const { trpc, queryClient, state } = await makePrefetch("/compare");
  const sweeps = await queryClient.fetchQuery(trpc.sweep.list.queryOptions());
  const sweepIds = chosenSweeps(sweep, sweeps);
  if (sweepIds.length === 0) {
    return (
      <NoSweepsYet page="Compare" title="Nothing to compare yet">
        Methods of a sweep stand side by side here as soon as one has been launched.
      </NoSweepsYet>
    );
  }
  await queryClient.prefetchQuery(trpc.run.grid.queryOptions({ sweepIds }));
  return (
    <HydrationBoundary state={state()}>
      <CompareView sweepIds={sweepIds} />
    </HydrationBoundary>
  );
}
