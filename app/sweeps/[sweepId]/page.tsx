import { sweepPage } from "#server/domain/pages.ts";
import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { makePrefetch, orNotFound } from "#app/_trpc/prefetch.server.ts";
import { toAddress, toSearchParams, type PageQuery } from "#app/_ui/address.ts";
import { askBaseline, baselinePart } from "#app/_ui/baseline.ts";
import { maxWhole } from "./prepareCellPage.ts";
import { SweepView } from "./SweepView.tsx";

type Props = { params: Promise<{ sweepId: string }>; searchParams: Promise<PageQuery> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { sweepId } = await params;
  const { trpc, queryClient } = await makePrefetch(sweepPage(sweepId));
  const sweep = await orNotFound(queryClient.fetchQuery(trpc.sweep.byId.queryOptions({ id: sweepId })));
  return { title: sweep.name };
}

export default async function SweepPage({ params, searchParams }: Props) {
  const [{ sweepId }, query] = await Promise.all([params, searchParams]);
  const { trpc, queryClient, state, waitBriefly } = await makePrefetch(toAddress(sweepPage(sweepId), query));
  const baseline = baselinePart.parse(toSearchParams(query));
  const scope = { sweepIds: [sweepId] };
  const [sweep] = await Promise.all([
    orNotFound(queryClient.fetchQuery(trpc.sweep.byId.queryOptions({ id: sweepId }))),
    queryClient.prefetchQuery(trpc.run.grid.queryOptions(scope)),
    queryClient.prefetchQuery(trpc.stability.standings.queryOptions({ sweepId })),
    queryClient.prefetchQuery(trpc.marks.of.queryOptions({ kind: "sweep", id: sweepId })),
  ]);
  const summary = trpc.sweep.headline.queryOptions({ id: sweepId, ...askBaseline(baseline) });
  await Promise.all([
    // A large sweep is shown in pages; the browser then fetches the metrics of one.
    sweep.numCells <= maxWhole && queryClient.prefetchQuery(trpc.series.keys.queryOptions({ scope })),
    waitBriefly(queryClient.prefetchQuery(summary)),
  ]);
  return (
    <HydrationBoundary state={state()}>
      <SweepView sweepId={sweepId} />
    </HydrationBoundary>
  );
}
