import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { PageHead } from "#app/_components/PageHead.tsx";
import { chooseSweeps } from "#app/_components/sweeps/chooseSweeps.ts";
import { nameSweeps } from "#app/_components/sweeps/nameSweeps.server.ts";
import { MissingSweeps } from "#app/_components/sweeps/MissingSweeps.tsx";
import { NoSweepsYet } from "#app/_components/sweeps/NoSweepsYet.tsx";
import { makePrefetch, waitBriefly } from "#app/_trpc/prefetch.server.ts";
import { toAddress, toSearchParams, type PageQuery } from "#app/_ui/address.ts";
import { HyperparametersView } from "./HyperparametersView.tsx";
import { scopePart } from "./_study/scopePart.ts";

export const metadata: Metadata = { title: "Hyperparameters" };

type Props = { searchParams: Promise<PageQuery> };

/** Runs of sweeps (`?sweep=`), by id (`?run=`), or by a filter of the run table (`?q=`); by default of the newest sweep that has trained. */
export default async function HyperparametersPage({ searchParams }: Props) {
  const query = await searchParams;
  const { trpc, queryClient, state } = await makePrefetch(toAddress("/hyperparameters", query));
  const asked = scopePart.parse(toSearchParams(query));
  const sweeps = await queryClient.fetchQuery(trpc.sweep.list.queryOptions());
  const { sweepIds, missing } = chooseSweeps("sweepIds" in asked ? asked.sweepIds : [], sweeps);
  if ("sweepIds" in asked) nameSweeps("/hyperparameters", query, sweepIds);
  const gone = "sweepIds" in asked && <MissingSweeps missing={missing} path="/hyperparameters" sweeps={sweeps} />;
  if (sweeps.length === 0) {
    return (
      <NoSweepsYet page="Hyperparameters" title="No runs yet">
        Effects of hyperparameters on results appear here: importance, parallel coordinates, slices and ranks.
      </NoSweepsYet>
    );
  }
  const scope = "sweepIds" in asked ? { sweepIds } : asked;
  if ("sweepIds" in scope && scope.sweepIds.length === 0) {
    return (
      <>
        <PageHead title="Hyperparameters" />
        {gone}
      </>
    );
  }
  const outcome = query["y"];
  const columns = typeof outcome === "string" && outcome.includes(".") ? [outcome] : [];
  await waitBriefly(queryClient.prefetchQuery(trpc.runTable.study.queryOptions({ scope, columns })));
  return (
    <HydrationBoundary state={state()}>
      {gone}
      <HyperparametersView scope={scope} />
    </HydrationBoundary>
  );
}
