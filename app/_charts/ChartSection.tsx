"use client";

import { useQuery } from "@tanstack/react-query";
import { type ComponentProps, type ReactNode, useCallback, useMemo } from "react";
import type { RunRow } from "#server/db/runs/runs.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import { chooseMetrics } from "#packages/statistics";
import { errorWords } from "../_trpc/errorWords.ts";
import { useTrpc } from "../_trpc/client.tsx";
import { Notice } from "../_ui/Notice.tsx";
import { Skeleton } from "../_ui/Busy.tsx";
import { listPart } from "../_ui/address.ts";
import { classes } from "../_ui/classes.ts";
import { useAddress } from "../_ui/useAddress.ts";
import type { ChartMoves } from "./ChartMenuPanel.tsx";
import { toHiddenIds, toHiddenNames } from "./hiddenNames.ts";
import { MetricChart } from "./MetricChart.tsx";
import { useChartReferences } from "./chartContext.tsx";
import { ChartControls } from "./ChartControls.tsx";
import { ChartProviders } from "./ChartProviders.tsx";
import { type ChartPart, partsOf } from "./chartParts.ts";
import { useFigureSource } from "./figureSource.tsx";
import { useChartSettings, useLooks } from "./useLooks.ts";
import { MetricPicker } from "./MetricPicker.tsx";
import { type LegendEntry, nameRuns, type RunName } from "./names.ts";
import { askedOf, type ChartSettings, type ChartSize, minCrowded } from "./settings.ts";
import { type LegendCell, prepareLegend } from "./prepareLegend.ts";
import { type ChartScope, useLiveCharts, useNewsOfRuns } from "./useLiveCharts.ts";
import { Popover } from "../_ui/Popover.tsx";
import { groupAlike, Legend } from "./Legend.tsx";
import type { Chart } from "#server/domain/runs/series/chartData.ts";
import { Button } from "../_ui/Button.tsx";
import { PaperPlot } from "./Plot.tsx";
import { preparePart } from "./preparePart.ts";
import type { ChartReference } from "./prepareReferences.ts";

type Props = {
  scope: ChartScope;
  cells: readonly LegendCell[];
  runs: readonly Pick<RunRow, "id" | "cellId" | "seed" | "status">[];
  /** Keys of the metrics shown by default; once all runs are over, metrics without values are omitted. */
  usual: readonly string[];
  /** Title of the file that holds all charts as one figure. If set, the default metrics are those in `usual` only. */
  figure?: string;
  /** True to draw one line per seed, even if the reader's setting is to draw means only. */
  areSeedsShown?: boolean;
  children?: ReactNode;
};

/** URL parameter with the metrics that the reader chose, in order; empty while the default metrics are shown. */
const chosenPart = listPart("charts");

/** Charts of several metrics with a shared legend, cursor and controls; updated while the runs train. */
export function ChartSection({ scope, cells, runs, usual, figure, areSeedsShown = false, children }: Props) {
  const { known, shown, setShown, isPending } = useShownMetrics({ scope, runs, usual, isFigure: figure !== undefined });
  const [read, write] = useChartSettings();
  const { fields, looks } = useLooks(scope, read);
  const legend = useMemo(() => prepareLegend(cells, looks), [cells, looks]);
  const settings = useMemo(
    () => toHiddenIds(areSeedsShown ? { ...read, seeds: true } : read, legend),
    [read, areSeedsShown, legend],
  );
  const setSettings = useCallback((next: ChartSettings) => write(toHiddenNames(next, legend)), [write, legend]);
  const parts = useMemo(() => partsOf(looks.facet, legend), [looks.facet, legend]);
  const names = useMemo(() => nameRuns(runs), [runs]);
  const asked = { scope, keys: shown, seeds: settings.seeds, ...askedOf(settings) };
  const { charts, error } = useLiveCharts(asked, useNewsOfRuns(scope));
  const shared = { charts, parts, legend, runs: names, settings };
  return (
    <ChartProviders scope={scope} keys={shown} cells={cells} x={settings.x}>
      <div className="sticky top-[var(--charts-top,3rem)] z-20 -mx-1 mb-3 flex flex-wrap items-center gap-x-3 gap-y-1.5 bg-page px-1 py-2 max-md:static">
        <LinesButton entries={legend} settings={settings} onChange={setSettings} />
        <ChartControls settings={settings} onChange={setSettings} fields={fields} />
        <span className="ml-auto flex flex-wrap items-center gap-2 text-sm">
          {children}
          {figure !== undefined && <WholeFigure title={figure} {...shared} />}
          {/* The picker's width is reserved until the metrics are known, so that the row does not wrap later. */}
          <span className={classes("flex justify-end", isPending && "min-w-32")}>
            <MetricPicker
              label="Add a metric…"
              keys={known.filter((key) => !shown.includes(key))}
              onPick={(key) => setShown([...shown, key])}
            />
          </span>
        </span>
      </div>
      {error !== null && <Notice tone="bad">{errorWords(error)}</Notice>}
      <ChartGrid keys={isPending ? usual : shown} onChange={setSettings} onKeys={setShown} {...shared} />
    </ChartProviders>
  );
}

type Asked = Pick<Props, "scope" | "runs" | "usual"> & { isFigure: boolean };

/** Returns the logged metrics and the shown ones: the reader's choice, else the default metrics; none while loading. */
function useShownMetrics({ scope, runs, usual, isFigure }: Asked) {
  const trpc = useTrpc();
  const [chosen, setShown] = useAddress(chosenPart);
  const { data, isPending } = useQuery(trpc.series.keys.queryOptions({ scope }, { refetchInterval: 15_000 }));
  const known = data ?? [];
  const areOver = runs.every(({ status }) => isOver(status));
  const opening = isFigure
    ? usual.filter((key) => !areOver || known.includes(key))
    : chooseMetrics(usual, known, areOver);
  const shown = chosen.length > 0 ? chosen : isPending ? [] : opening;
  return { known, shown, setShown, isPending };
}

/** Legend of the section: inline on phones and for fewer than `minCrowded` lines, else behind a button. */
function LinesButton(props: ComponentProps<typeof Legend>) {
  const { entries, settings } = props;
  if (entries.length < minCrowded) return <Legend {...props} />;
  const alike = groupAlike(entries);
  const numShown = alike.filter((same) => same.some(({ id }) => !settings.hidden.has(id))).length;
  const numbers = numShown < alike.length ? `${numShown} of ${alike.length}` : String(alike.length);
  return (
    <>
      <span className="max-md:hidden">
        <Popover label="Lines shown" button={`Lines: ${numbers} ▾`} buttonClassName="control text-sm">
          {() => <Legend {...props} isList />}
        </Popover>
      </span>
      <span className="md:hidden">
        <Legend {...props} />
      </span>
    </>
  );
}

type DrawnProps = {
  charts: readonly Chart[];
  legend: readonly LegendEntry[];
  runs: ReadonlyMap<string, RunName>;
  settings: ChartSettings;
  /** Small multiples of each metric, for example one per environment; undefined: a single chart of all lines. */
  parts: readonly (ChartPart | undefined)[];
};

function WholeFigure({ title, ...drawn }: DrawnProps & { title: string }) {
  // The exported figure is rendered outside this page's React tree, so context values are passed as props.
  const references = useChartReferences();
  const source = useFigureSource();
  if (drawn.charts.length === 0) return null;
  const exportAll = async () => {
    const { exportPanels } = await import("./exportFigure.ts");
    await exportPanels(<Panels {...drawn} references={references} source={source} />, [source, title].join(" "));
  };
  return <Button onClick={() => void exportAll()}>All charts as one SVG figure</Button>;
}

type PanelProps = { references: readonly ChartReference[]; source: string };

/** Renders the panels of the exported figure. Only the last panel has a legend and names the figure's source. */
function Panels({ charts, legend, runs, settings, parts, references, source }: DrawnProps & PanelProps) {
  const panels = charts.flatMap((chart) => parts.map((part) => ({ chart, part })));
  return panels.map(({ chart, part }, i) => (
    <PaperPlot
      key={`${chart.key} ${part?.name}`}
      model={preparePart({ chart, legend, runs, settings }, { references }, part)}
      legend={i === panels.length - 1 ? (part?.legend ?? legend) : []}
      source={i === panels.length - 1 ? source : ""}
    />
  ));
}

type ChartGridProps = DrawnProps & {
  keys: readonly string[];
  onChange: (settings: ChartSettings) => void;
  onKeys: (keys: string[]) => void;
};

function ChartGrid({ keys, charts, parts, onKeys, ...shared }: ChartGridProps) {
  const { height, columns } = chartSizeLooks[shared.settings.size];
  return (
    <div className={classes("grid gap-3", columns)}>
      {/* A flat list: in lists within a list, a chart that moves would be drawn anew, which closes its open menu. */}
      {keys.flatMap((key) => {
        const chart = charts.find((one) => one.key === key);
        if (!chart) return [<Skeleton key={key} className="h-72" />];
        const moves = movesOf(key, keys, onKeys);
        return parts.map((part) => (
          <MetricChart key={`${key} ${part?.name}`} {...{ chart, height, moves, part }} {...shared} />
        ));
      })}
    </div>
  );
}

function movesOf(key: string, keys: readonly string[], onKeys: (keys: string[]) => void): ChartMoves {
  const at = keys.indexOf(key);
  const others = keys.filter((one) => one !== key);
  const moveTo = (place: number) => () => onKeys(others.toSpliced(place, 0, key));
  return {
    onEarlier: at > 0 ? moveTo(at - 1) : undefined,
    onLater: at < keys.length - 1 ? moveTo(at + 1) : undefined,
    onRemove: keys.length > 1 ? () => onKeys(others) : undefined,
  };
}

/** Plot height in pixels and CSS classes of the grid's columns, for each chart size. */
const chartSizeLooks: Record<ChartSize, { height: number; columns: string }> = {
  small: { height: 150, columns: "grid-cols-[repeat(auto-fill,minmax(min(19rem,100%),1fr))]" },
  usual: { height: 220, columns: "grid-cols-[repeat(auto-fill,minmax(min(26rem,100%),1fr))]" },
  large: { height: 400, columns: "grid-cols-[repeat(auto-fill,minmax(min(44rem,100%),1fr))]" },
};
