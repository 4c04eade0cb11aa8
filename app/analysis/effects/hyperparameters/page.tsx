import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { pages } from "#server/domain/pages.ts";
import type { RunScope } from "#server/domain/runs/table/scope.ts";
import { ChosenSweeps } from "#app/_components/sweeps/ChosenSweeps.server.tsx";
import { askDependent } from "#app/_components/sweeps/dependentAddress.ts";
import { makePrefetch, type Prefetch } from "#app/_trpc/prefetch.server.ts";
import { toAddress, toSearchParams, type PageProps } from "#app/_ui/address.ts";
import { HyperparametersView } from "./HyperparametersView.tsx";
import { columnsOf, methodPart, outcomePart, readScope } from "./_study/studyParts.ts";

export const metadata: Metadata = { title: "Hyperparameters" };

/** Maximum time in ms to wait for the importances, which take 0.3 to 0.5 s for 400 runs. */
const importanceMs = 700;

/** Page about hyperparameters of sweeps (`?sweep=`), runs (`?run=`), or a filter of the run table (`?q=`). */
export default async function HyperparametersPage({ searchParams }: PageProps) {
  const query = await searchParams;
  const asked = readScope(toSearchParams(query));
  if (!("sweepIds" in asked)) {
    const made = await makePrefetch(toAddress(pages.hyperparameters, query));
    await prefetchStudy(made, asked, toSearchParams(query));
    return (
      <HydrationBoundary state={made.state()}>
        <HyperparametersView scope={asked} />
      </HydrationBoundary>
    );
  }
  return (
    <ChosenSweeps
      path={pages.hyperparameters}
      query={query}
      title="Hyperparameters"
      empty="Effects of hyperparameters on results appear here: importance, ranks, parallel coordinates and slices."
      prefetch={(made, sweepIds) => prefetchStudy(made, { sweepIds }, toSearchParams(query))}
    >
      {(sweepIds) => <HyperparametersView scope={{ sweepIds }} />}
    </ChosenSweeps>
  );
}

function prefetchStudy({ trpc, queryClient, waitBriefly }: Prefetch, scope: RunScope, query: URLSearchParams) {
  const [outcome, form] = [outcomePart.parse(query), methodPart.parse(query)];
  const columns = columnsOf(outcome);
  const dependent = askDependent(query);
  return waitBriefly(
    Promise.all([
      queryClient.prefetchQuery(trpc.runTable.study.queryOptions({ scope, columns, ...dependent })),
      queryClient.prefetchQuery(trpc.runTable.importance.queryOptions({ scope, columns, outcome, form, ...dependent })),
    ]),
    importanceMs,
  );
}
