import { useQuery } from "@tanstack/react-query";
import { ChartSection } from "#app/_charts/ChartSection.tsx";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Busy.tsx";

/** Maximum number of lines in a chart; a reader cannot distinguish more. */
const maxDrawn = 50;

export function SelectedCharts({ runIds }: { runIds: readonly string[] }) {
  const trpc = useTrpc();
  const scope = { runIds: runIds.slice(0, maxDrawn) };
  const { data: grid, error } = useQuery(trpc.run.grid.queryOptions(scope));
  if (error) return <Notice tone="bad">{errorWords(error)}</Notice>;
  if (!grid) return <Skeleton className="h-96" />;
  return (
    // The section scrolls separately: below the page's header, its sticky controls would hide a chart's title.
    <section aria-label="Charts of the selected runs" className="min-w-0 overflow-y-auto [--charts-top:0px]">
      {runIds.length > maxDrawn && (
        <p className="text-sm text-muted">
          The charts show the first {maxDrawn} of {runIds.length} runs.
        </p>
      )}
      <ChartSection scope={scope} cells={grid.cells} runs={grid.runs} usual={[]} areSeedsShown />
    </section>
  );
}
