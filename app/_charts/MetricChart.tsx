"use client";
import { useMemo } from "react";
import { Icon } from "../_ui/Icon.tsx";
import { Hint } from "../_ui/Hint.tsx";
import { useChartEvents } from "./chartEvents.tsx";
import { useChartRestarts } from "./chartRestarts.tsx";
import { chartRows } from "./chartRows.ts";
import { FigureButtons } from "./FigureButtons.tsx";
import { LastValues } from "./LastValues.tsx";
import { LazyMount } from "./LazyMount.tsx";
import { Measured } from "./Measured.tsx";
import { PaperPlot, Plot } from "./Plot.tsx";
import { PlotCursor } from "./PlotCursor.tsx";
import type { LegendEntry, RunName } from "./names.ts";
import { prepareChart, type DescribedChart } from "./prepareChart.ts";
import { toggled, type ChartSettings } from "./settings.ts";

type Props = {
  chart: DescribedChart;
  /** What another trainer called it. */
  original?: string | undefined;
  legend: readonly LegendEntry[];
  runs: ReadonlyMap<string, RunName>;
  settings: ChartSettings;
  onChange: (settings: ChartSettings) => void;
  /** Takes the chart off the page; absent for charts that belong to it. */
  onRemove?: (() => void) | undefined;
  height?: number;
};

/** One metric over iterations, with its name, unit, meaning, remarks, and its last values as a table. */
export function MetricChart({ chart, original, legend, runs, settings, onChange, onRemove, height = 220 }: Props) {
  const events = useChartEvents();
  const { restarts, ghosts } = useChartRestarts();
  const model = useMemo(
    () => prepareChart({ chart, legend, runs, settings }, { events, restarts, ghosts }),
    [chart, legend, runs, settings, events, restarts, ghosts],
  );
  const isLog = model.y.scale === "log";
  return (
    <figure aria-label={model.title} className="min-w-0 rounded-lg border border-line bg-surface p-3">
      <figcaption className="mb-1 flex flex-wrap items-baseline gap-x-2">
        <h3 className="font-semibold">{model.title}</h3>
        {model.unit && <span className="text-xs text-muted">{model.unit}</span>}
        <Hint about={model.title}>
          {model.meaning} <code className="mt-1 block text-xs text-muted">{model.key}</code>
          {original && <code className="block text-xs text-muted">logged as {original}</code>}
        </Hint>
        <button
          type="button"
          aria-pressed={isLog}
          onClick={() => onChange({ ...settings, log: toggled(settings.log, model.key) })}
          className="ml-auto rounded border border-edge/60 px-1.5 text-xs text-muted hover:text-text aria-pressed:border-accent aria-pressed:text-accent"
        >
          log
        </button>
        <span className="flex gap-2 text-xs">
          <FigureButtons
            title={model.title}
            paper={<PaperPlot model={model} legend={legend} />}
            data={() => chartRows(chart, { legend, runs }, settings)}
          />
        </span>
        {onRemove && (
          <button
            type="button"
            aria-label={`Remove ${model.title}`}
            onClick={onRemove}
            className="text-muted hover:text-text"
          >
            <Icon name="cross" className="size-3.5" />
          </button>
        )}
        <span className="w-full text-xs text-muted">{model.bandName}</span>
      </figcaption>
      <LazyMount height={height}>
        <div className="relative">
          <Measured height={height}>{(width) => <Plot model={model} width={width} height={height} />}</Measured>
          <PlotCursor model={model} onZoom={(range) => onChange({ ...settings, range })} />
        </div>
      </LazyMount>
      <Notes notes={model.notes} />
      <LastValues title={model.title} rows={model.rows} />
    </figure>
  );
}

function Notes({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return null;
  return (
    <ul className="mt-1 space-y-px text-xs text-muted">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}
