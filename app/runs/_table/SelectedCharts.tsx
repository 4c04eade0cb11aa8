"use client";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { chooseMetric } from "#server/domain/series/openingMetric.ts";
import { CursorProvider } from "#app/_charts/cursor.tsx";
import { MetricChart } from "#app/_charts/MetricChart.tsx";
import { MetricPicker } from "#app/_charts/MetricPicker.tsx";
import { nameRuns } from "#app/_charts/names.ts";
import { askedOf } from "#app/_charts/overSeeds.ts";
import { prepareLegend } from "#app/_charts/prepareLegend.ts";
import { parseSettings } from "#app/_charts/settings.ts";
import { useLiveCharts } from "#app/_charts/useLiveCharts.ts";
import { useNewsOfRuns } from "#app/_charts/useNewsOfRuns.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { EmptyState } from "#app/_ui/EmptyState.tsx";
import { Notice } from "#app/_ui/Notice.tsx";
import { Skeleton } from "#app/_ui/Skeleton.tsx";

/** More lines than an eye tells apart. */
const mostDrawn = 50;
const usualSettings = { ...parseSettings(new URLSearchParams()), seeds: true };

/** Curves of the runs that are selected, a line each over the band of their configuration. */
export function SelectedCharts({ runIds }: { runIds: readonly string[] }) {
  const trpc = useTrpc();
  const drawn = runIds.slice(0, mostDrawn);
  const scope = { runIds: drawn };
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const { data: known, error } = useQuery(trpc.series.keys.queryOptions({ scope }));
  if (error) return <Notice tone="bad">{errorWords(error)}</Notice>;
  if (!known) return <Skeleton className="h-96" />;
  if (known.length === 0) return <EmptyState title="No metric yet">These runs have logged nothing.</EmptyState>;
  const keys = chosen.length > 0 ? [...chosen] : [chooseMetric(known)];
  return (
    <section aria-label="Charts of the selected runs" className="min-w-0 space-y-3 overflow-y-auto">
      {runIds.length > mostDrawn && (
        <p className="text-sm text-muted">
          The first {mostDrawn} of {runIds.length}.
        </p>
      )}
      <Charts runIds={drawn} keys={keys} onRemove={(key) => setChosen(keys.filter((one) => one !== key))} />
      <div className="flex w-64 max-w-full flex-col gap-1">
        <MetricPicker
          title="Metric"
          label="Add a chart"
          keys={known.filter((key) => !keys.includes(key))}
          onPick={(key) => setChosen([...keys, key])}
        />
      </div>
    </section>
  );
}

type ChartsProps = { runIds: string[]; keys: string[]; onRemove: (key: string) => void };

function Charts({ runIds, keys, onRemove }: ChartsProps) {
  const trpc = useTrpc();
  const scope = { runIds };
  const [settings, setSettings] = useState(usualSettings);
  const { data: grid } = useQuery(trpc.run.grid.queryOptions(scope));
  const legend = useMemo(() => prepareLegend(grid?.cells ?? []), [grid]);
  const names = useMemo(() => nameRuns(grid?.runs ?? []), [grid]);
  const selection = { scope, keys, seeds: true, ...askedOf(settings, legend.length) };
  const { charts, error } = useLiveCharts(selection, useNewsOfRuns(scope));
  if (error !== null) return <Notice tone="bad">{errorWords(error)}</Notice>;
  if (!grid || charts.length === 0) return <Skeleton className="h-64" />;
  return (
    <CursorProvider>
      {charts.map((chart) => (
        <MetricChart
          key={chart.key}
          chart={chart}
          legend={legend}
          runs={names}
          settings={settings}
          onChange={setSettings}
          onRemove={keys.length > 1 ? () => onRemove(chart.key) : undefined}
        />
      ))}
    </CursorProvider>
  );
}
