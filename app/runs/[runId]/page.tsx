import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { makePrefetch, orNotFound } from "#app/_trpc/prefetch.server.ts";
import { prepareSettings } from "./prepareSettings.ts";
import { RunView } from "./RunView.tsx";

type Props = { params: Promise<{ runId: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { runId } = await params;
  const { trpc, queryClient } = await makePrefetch(`/runs/${runId}`);
  const run = await orNotFound(queryClient.fetchQuery(trpc.run.byId.queryOptions({ id: runId })));
  return { title: `${run.cell.method}, seed ${run.seed}` };
}

export default async function RunPage({ params }: Props) {
  const { runId } = await params;
  const { trpc, queryClient, state } = await makePrefetch(`/runs/${runId}`);
  const [run] = await Promise.all([
    orNotFound(queryClient.fetchQuery(trpc.run.byId.queryOptions({ id: runId }))),
    queryClient.prefetchQuery(trpc.series.keys.queryOptions({ scope: { runId } })),
    queryClient.prefetchQuery(trpc.marks.of.queryOptions({ kind: "run", id: runId })),
    queryClient.prefetchQuery(trpc.stability.standings.queryOptions({ runId })),
  ]);
  return (
    <HydrationBoundary state={state()}>
      <RunView runId={runId} settings={prepareSettings(run.spec)} />
    </HydrationBoundary>
  );
}
