import { HydrationBoundary } from "@tanstack/react-query";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { PageHead } from "#app/_components/PageHead.tsx";
import { chooseSweeps } from "#app/_components/sweeps/chooseSweeps.ts";
import { nameSweeps } from "#app/_components/sweeps/nameSweeps.server.ts";
import { MissingSweeps } from "#app/_components/sweeps/MissingSweeps.tsx";
import { makePrefetch } from "#app/_trpc/prefetch.server.ts";
import { isMissing, scales } from "#server/domain/papers/paper.ts";
import { paperItems, paperTitles } from "#server/domain/papers/papers.ts";
import { toAddress, type PageQuery } from "#app/_ui/address.ts";
import { FigureView } from "./FigureView.tsx";

export const metadata: Metadata = { title: "Figure of a paper" };

type Props = {
  params: Promise<{ figure: string }>;
  searchParams: Promise<PageQuery>;
};

/**
 * A figure of a paper in its panels. Without `?sweep=` it shows the newest sweep of the paper's plan that has trained, else the newest that has
 * trained.
 */
export default async function FigurePage({ params, searchParams }: Props) {
  const [{ figure }, query] = await Promise.all([params, searchParams]);
  const { sweep } = query;
  const item = paperItems.find(({ id }) => id === figure);
  const recipe = scales.map((scale) => item?.scales[scale]).find((one) => one && !isMissing(one));
  if (!item || !recipe || isMissing(recipe) || recipe.result.kind !== "figure") notFound();
  const path = `/papers/${item.id}`;
  const { trpc, queryClient, state } = await makePrefetch(toAddress(path, query));
  const sweeps = await queryClient.fetchQuery(trpc.sweep.list.queryOptions());
  const presetQuery = trpc.sweep.presets.queryOptions();
  const presets = sweep === undefined ? await queryClient.fetchQuery(presetQuery) : [];
  // The browser does not need all plans.
  queryClient.removeQueries({ queryKey: presetQuery.queryKey });
  const planned = new Set(presets.filter(({ id }) => recipe.presets.includes(id)).map(({ plan }) => plan.name));
  const ranked = sweeps.toSorted((a, b) => Number(planned.has(b.name)) - Number(planned.has(a.name)));
  const { sweepIds, missing } = chooseSweeps(sweep, ranked);
  nameSweeps(path, query, sweepIds);
  await Promise.all([
    queryClient.prefetchQuery(trpc.run.grid.queryOptions({ sweepIds })),
    // Prefetched: otherwise panels of metrics that nobody logged would disappear once this is known, and all below would move.
    queryClient.prefetchQuery(trpc.series.keys.queryOptions({ scope: { sweepIds } })),
  ]);
  return (
    <HydrationBoundary state={state()}>
      <PageHead title={item.title}>{paperTitles[item.paper]}</PageHead>
      <MissingSweeps missing={missing} path={path} sweeps={sweeps} />
      {sweepIds.length > 0 && (
        <FigureView
          sweepIds={sweepIds}
          title={`${item.id} ${paperTitles[item.paper]}`}
          metrics={recipe.result.metrics}
          differs={recipe.differs}
        />
      )}
    </HydrationBoundary>
  );
}
