import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { PageHead } from "#app/_components/PageHead.tsx";
import { chooseSweeps } from "#app/_components/sweeps/chooseSweeps.ts";
import { nameSweeps } from "#app/_components/sweeps/nameSweeps.server.ts";
import { MissingSweeps } from "#app/_components/sweeps/MissingSweeps.tsx";
import { NoSweepsYet } from "#app/_components/sweeps/NoSweepsYet.tsx";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { toAddress, toSearchParams, type PageQuery } from "#app/_ui/address.ts";
import { HyperparametersView } from "./HyperparametersView.tsx";
import { scopePart } from "./_study/scopePart.ts";
import { columnsOf, methodPart, outcomePart } from "./_study/studyParts.ts";

export const metadata: Metadata = { title: "Hyperparameters" };

/** Importances of 400 runs take .3 to .5 s. A page that has them at once is sooner complete than one that asks for them. */
const importanceMs = 700;

type Props = { searchParams: Promise<PageQuery> };

/** Runs of sweeps (`?sweep=`), by id (`?run=`), or by a filter of the run table (`?q=`); by default of the newest sweep that has trained. */
export default async function HyperparametersPage({ searchParams }: Props) {
  const query = await searchParams;
  const { trpc, queryClient, state, waitBriefly } = await makePrefetch(toAddress("/hyperparameters", query));
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
  const outcome = outcomePart.parse(toSearchParams(query));
  const form = methodPart.parse(toSearchParams(query));
  const columns = columnsOf(outcome);
  await waitBriefly(
    Promise.all([
      queryClient.prefetchQuery(trpc.runTable.study.queryOptions({ scope, columns })),
      queryClient.prefetchQuery(trpc.runTable.importance.queryOptions({ scope, columns, outcome, form })),
    ]),
    importanceMs,
  );
  return (
    <HydrationBoundary state={state()}>
      {gone}
      <HyperparametersView scope={scope} />
    </HydrationBoundary>
  );
}
