import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Chart } from "#server/domain/runs/series/chartData.ts";
import type { RunDetail } from "#server/db/runs/runs.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import { ChartControls } from "#app/_charts/ChartControls.tsx";
import { ChartAxisProvider } from "#app/_charts/chartContext.tsx";
import { ChartRestartsProvider, useChartRestarts } from "#app/_charts/chartRestarts.tsx";
import { CursorProvider } from "#app/_charts/cursor.tsx";
import { joinFamily, type Family } from "#app/_charts/families.ts";
import { formatCount } from "#app/_charts/format.ts";
import { FigureSourceProvider } from "#app/_charts/figureSource.tsx";
import { Legend } from "#app/_charts/Legend.tsx";
import { nameRuns } from "#app/_charts/names.ts";
import { MetricChart } from "#app/_charts/MetricChart.tsx";
import { askedOf, type ChartSettings } from "#app/_charts/settings.ts";
import { listCheckpoints, type ChartCheckpoint } from "#app/_charts/prepareCheckpoints.ts";
import { prepareLegend } from "#app/_charts/prepareLegend.ts";
import { useChartSettings } from "#app/_charts/useLooks.ts";
import { useLiveCharts, useNewsOfRuns } from "#app/_charts/useLiveCharts.ts";
import { useTrpc } from "#app/_trpc/client.tsx";
import { errorWords } from "#app/_trpc/errorWords.ts";
import { typedPart } from "#app/_ui/address.ts";
import { Button } from "#app/_ui/Button.tsx";
import { EmptyState, Notice } from "#app/_ui/Notice.tsx";
import { useAddress } from "#app/_ui/useAddress.ts";
import { Input } from "#app/_ui/Input.tsx";
import { Skeleton } from "#app/_ui/Busy.tsx";
import { chartsAtOnce, keysOf, prepareSections, type Section } from "./prepareSections.ts";

/** Text by which charts are searched; links to the evidence of a diagnosis set it. */
const findPart = typedPart("find");

/** Shows first an overview, then diagnostics with one line per turn; other metrics are collapsed. */
export function RunCharts({ run }: { run: RunDetail }) {
  const trpc = useTrpc();
  const scope = useMemo(() => ({ runId: run.id }), [run.id]);
  const [settings, setSettings] = useChartSettings();
  const [search, setSearch] = useAddress(findPart);
  const [opened, setOpened] = useState<ReadonlyMap<string, number>>(new Map());
  // Refetches the metric keys, because metrics of later phases appear while the run continues.
  const { data: keys = [] } = useQuery(trpc.series.keys.queryOptions({ scope }, { refetchInterval: 10_000 }));
  const sections = prepareSections(keys, search, opened);
  const shown = sections.filter(({ isFolded }) => !isFolded).flatMap(keysOf);
  const selection = { scope, keys: shown.filter((key) => keys.includes(key)), seeds: false, ...askedOf(settings) };
  const { charts, error } = useLiveCharts(selection, useNewsOfRuns(scope));
  if (keys.length === 0 && error === null) {
    return <EmptyState title="No data yet">Charts appear once the run has logged its first metrics.</EmptyState>;
  }
  const parts = { run, charts, settings, onChange: setSettings };
  return (
    <FigureSourceProvider names={[`${run.sweep.name}, ${run.cell.method} seed ${run.seed}`]}>
      <CursorProvider>
        <ChartRestartsProvider scope={scope} keys={selection.keys}>
          <ChartAxisProvider scope={scope} kind={settings.x}>
            <div className="mb-3 flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
              <ChartControls settings={settings} onChange={setSettings} hasSeeds={false} />
              <MetricSearch numMetrics={keys.length} search={search} onSearch={setSearch} />
            </div>
            {error !== null && <Notice tone="bad">{errorWords(error)}</Notice>}
            {sections.length === 0 && <p className="text-muted">No metric of this run matches “{search}”.</p>}
            {sections.map((section) =>
              section.isFolded ? (
                <FoldedSection
                  key={section.name}
                  section={section}
                  onOpen={() => setOpened(new Map([...opened, [section.name, 0]]))}
                />
              ) : (
                <SectionCharts
                  key={section.name}
                  section={section}
                  {...parts}
                  onFold={
                    opened.has(section.name)
                      ? () => setOpened(new Map([...opened].filter(([name]) => name !== section.name)))
                      : undefined
                  }
                  onMore={() => setOpened(new Map([...opened, [section.name, (opened.get(section.name) ?? 0) + 1]]))}
                />
              ),
            )}
          </ChartAxisProvider>
        </ChartRestartsProvider>
      </CursorProvider>
    </FigureSourceProvider>
  );
}

type SearchProps = { numMetrics: number; search: string; onSearch: (search: string) => void };

function MetricSearch({ numMetrics, search, onSearch }: SearchProps) {
  if (numMetrics < minToSearch && search === "") return null;
  return (
    <Input
      type="search"
      aria-label="Find a metric"
      placeholder={`Find one of ${formatCount(numMetrics, "metric")}`}
      className="sm:w-64"
      value={search}
      onChange={({ target }) => onSearch(target.value)}
    />
  );
}

function FoldedSection({ section, onOpen }: { section: Section; onOpen: () => void }) {
  return (
    <button
      type="button"
      aria-expanded={false}
      onClick={onOpen}
      className="flex w-full items-baseline gap-2 border-t border-line py-2 text-left hover:bg-sunken"
    >
      <span className="font-semibold">{section.title}</span>
      <span className="text-sm text-muted">
        {formatCount(section.keys.length + section.families.length + section.numMore, "chart")}
        <span className="ml-2 text-accent">Show</span>
      </span>
    </button>
  );
}

type Parts = {
  run: RunDetail;
  charts: readonly Chart[];
  settings: ChartSettings;
  onChange: (settings: ChartSettings) => void;
};

/** Number of metrics from which on a search field is shown. */
const minToSearch = 8;
const height = 160;
const grid = "grid grid-cols-[repeat(auto-fill,minmax(min(20rem,100%),1fr))] gap-3";
const wideGrid = "mb-3 grid grid-cols-[repeat(auto-fit,minmax(min(24rem,100%),1fr))] gap-3";

type SectionProps = Parts & { section: Section; onFold: (() => void) | undefined; onMore: () => void };

function SectionCharts({ section, onFold, onMore, ...parts }: SectionProps) {
  const { run, charts, settings, onChange } = parts;
  const { id, cell, sweep, seed, status } = run;
  const legend = useMemo(
    () => prepareLegend([{ ...cell, sweepId: sweep.id, sweepName: sweep.name }]),
    [cell, sweep.id, sweep.name],
  );
  const names = useMemo(() => nameRuns([{ id, cellId: cell.id, seed, status }]), [id, cell.id, seed, status]);
  const checkpoints = useCheckpoints(run);
  return (
    <section aria-label={section.title} className="mb-6 border-t border-line pt-3 first-of-type:border-0">
      <h2 className="mb-2 flex items-baseline gap-2 font-semibold">
        {section.title}
        {onFold && (
          <button type="button" onClick={onFold} className="text-sm font-normal text-accent hover:underline">
            Fold
          </button>
        )}
      </h2>
      {section.families.length > 0 && <FamilyCharts families={section.families} checkpoints={checkpoints} {...parts} />}
      <div className={grid}>
        {section.keys.map((key) => {
          const chart = charts.find((one) => one.key === key);
          if (!chart) return <Skeleton key={key} className="h-56" />;
          // `hasOwn` is needed because a metric key may be "constructor".
          const original = Object.hasOwn(run.originals, key) ? run.originals[key] : undefined;
          return (
            <MetricChart
              key={key}
              {...{ chart, original, legend, runs: names, settings, onChange, checkpoints, height }}
            />
          );
        })}
      </div>
      {section.numMore > 0 && (
        <Button className="mt-3" onClick={onMore}>
          Show {Math.min(chartsAtOnce, section.numMore)} of {formatCount(section.numMore, "more chart")}
        </Button>
      )}
    </section>
  );
}

/** Returns the run's checkpoints; none for external trainers, whose specification states no checkpoint interval. */
function useCheckpoints({ id, spec, status, latestIteration }: RunDetail): readonly ChartCheckpoint[] {
  const { restarts } = useChartRestarts();
  const every = isImported(spec) || spec.trainer !== undefined ? undefined : spec.execution.checkpointEvery;
  return useMemo(() => {
    const kept = { runId: id, latestIteration, isOver: isOver(status), restarts };
    return every === undefined ? [] : listCheckpoints({ ...kept, every });
  }, [id, every, latestIteration, status, restarts]);
}

type FamilyProps = Parts & { families: readonly Family[]; checkpoints: readonly ChartCheckpoint[] };

/** Shows the charts of metric families with a shared legend, because their lines have the same names. */
function FamilyCharts({ families, run, charts, settings, onChange, checkpoints }: FamilyProps) {
  const joined = useMemo(
    () =>
      families.map((family) => joinFamily(family, charts, { id: run.id, seed: run.seed, isOver: isOver(run.status) })),
    [families, charts, run.id, run.seed, run.status],
  );
  const entries = new Map(joined.flatMap(({ legend }) => legend.map((entry) => [entry.id, entry])));
  return (
    <>
      <div className="mb-2">
        <Legend entries={[...entries.values()]} settings={settings} onChange={onChange} />
      </div>
      <div className={wideGrid}>
        {joined.map(({ chart, legend, runs }) => (
          <MetricChart key={chart.key} {...{ chart, legend, runs, settings, onChange, checkpoints, height: 220 }} />
        ))}
      </div>
    </>
  );
}
