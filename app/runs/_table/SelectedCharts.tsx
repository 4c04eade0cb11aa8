"use client";
import { useQuery } from "@tanstack/react-query";
import { ChartSection } from "#app/_charts/ChartSection.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";

/** More lines than an eye tells apart. */
const mostDrawn = 50;

/** Curves of the runs that are selected, a line each over the band of their configuration. */
export function SelectedCharts({ runIds }: { runIds: readonly string[] }) {
  const trpc = useTrpc();
  const scope = { runIds: runIds.slice(0, mostDrawn) };
  const { data: grid, error } = useQuery(trpc.run.grid.queryOptions(scope));
  if (error) return <Notice tone="bad">{errorWords(error)}</Notice>;
  if (!grid) return <Skeleton className="h-96" />;
  return (
    // It scrolls by itself: the controls stay at its top and not below the page's head, where they would hide a chart's title.
    <section aria-label="Charts of the selected runs" className="min-w-0 overflow-y-auto [--charts-top:0px]">
      {runIds.length > mostDrawn && (
        <p className="text-sm text-muted">
          The first {mostDrawn} of {runIds.length}.
        </p>
      )}
      <ChartSection scope={scope} cells={grid.cells} runs={grid.runs} usual={[]} areSeedsShown />
    </section>
  );
}
