import { runPage } from "#server/domain/pages.ts";
import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { isOver } from "#server/domain/runs/runStatus.ts";
import { chooseMetric } from "#packages/statistics";
import { makePrefetch, orNotFound } from "#app/_trpc/prefetch.server.ts";
import { prepareSettings } from "./prepareSettings.ts";
import { RunView } from "./RunView.tsx";

type Props = { params: Promise<{ runId: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { runId } = await params;
  const { trpc, queryClient } = await makePrefetch(runPage(runId));
  const run = await orNotFound(queryClient.fetchQuery(trpc.run.byId.queryOptions({ id: runId })));
  return { title: `${run.cell.method}, seed ${run.seed}` };
}

export default async function RunPage({ params }: Props) {
  const { runId } = await params;
  const { trpc, queryClient, state, waitBriefly } = await makePrefetch(runPage(runId));
  const [run, keys] = await Promise.all([
    orNotFound(queryClient.fetchQuery(trpc.run.byId.queryOptions({ id: runId }))),
    orNotFound(queryClient.fetchQuery(trpc.series.keys.queryOptions({ scope: { runId } }))),
    queryClient.prefetchQuery(trpc.marks.of.queryOptions({ kind: "run", id: runId })),
    queryClient.prefetchQuery(trpc.stability.standings.queryOptions({ runId })),
  ]);
  if (keys.length > 0 && isOver(run.status)) {
    const input = { runIds: [run.id], cellIds: [], metric: chooseMetric(keys) };
    await waitBriefly(queryClient.prefetchQuery(trpc.comparison.finals.queryOptions(input)));
  }
  return (
    <HydrationBoundary state={state()}>
      <RunView runId={runId} settings={prepareSettings(run.spec)} />
    </HydrationBoundary>
  );
}
