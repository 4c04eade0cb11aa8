import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { figurePage } from "#server/domain/pages.ts";
import { isMissing, scales } from "#server/domain/publish/papers/paper.ts";
import { paperItems, paperTitles } from "#server/domain/publish/papers/papers.ts";
import { ChosenSweeps } from "#app/_components/sweeps/ChosenSweeps.server.tsx";
import type { Prefetch } from "#app/_trpc/prefetch.server.ts";
import type { PageProps } from "#app/_ui/address.ts";
import { chooseDrawn } from "./chooseDrawn.ts";
import { FigureView } from "./FigureView.tsx";

export const metadata: Metadata = { title: "Figure of a paper" };

type Props = PageProps & { params: Promise<{ figure: string }> };

/** Page that reproduces a figure of a paper with the chosen sweeps; by default those that `chooseDrawn` finds. */
export default async function FigurePage({ params, searchParams }: Props) {
  const [{ figure }, query] = await Promise.all([params, searchParams]);
  const item = paperItems.find(({ id }) => id === figure);
  const recipe = scales.map((scale) => item?.scales[scale]).find((one) => one && !isMissing(one));
  if (!item || !recipe || isMissing(recipe) || recipe.result.kind !== "figure") notFound();
  const { metrics, methods } = recipe.result;
  return (
    <ChosenSweeps
      path={figurePage(item.id)}
      query={query}
      title={item.title}
      empty="The figure appears here for the runs of your own sweeps."
      choose={async (made, sweeps) => chooseDrawn(sweeps, await listPlanned(made, recipe.presets), methods)}
      prefetch={({ trpc, queryClient }, sweepIds) =>
        Promise.all([
          queryClient.prefetchQuery(trpc.run.grid.queryOptions({ sweepIds })),
          // Keys are prefetched; otherwise, panels of unlogged metrics would disappear later and move the content.
          queryClient.prefetchQuery(trpc.series.keys.queryOptions({ scope: { sweepIds } })),
        ])
      }
    >
      {(sweepIds) => (
        <FigureView
          sweepIds={sweepIds}
          title={item.title}
          paper={paperTitles[item.paper]}
          metrics={metrics}
          methods={methods}
          differs={recipe.differs}
        />
      )}
    </ChosenSweeps>
  );
}

/** Returns the names of the sweeps that the paper's plans (presets) would launch. */
async function listPlanned({ trpc, queryClient }: Prefetch, presetIds: readonly string[]): Promise<Set<string>> {
  const asked = trpc.sweep.presets.queryOptions();
  const presets = await queryClient.fetchQuery(asked);
  // Drops the list of all plans from the prefetched data, because the browser does not need it.
  queryClient.removeQueries({ queryKey: asked.queryKey });
  return new Set(presets.filter(({ id }) => presetIds.includes(id)).map(({ plan }) => plan.name));
}
