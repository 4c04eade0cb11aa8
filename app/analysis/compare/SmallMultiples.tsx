"use client";
import { useMemo } from "react";
import type { Chart } from "#server/domain/runs/series/chartData.ts";
import { chartRows } from "#app/_charts/chartRows.ts";
import { useFigureSource } from "#app/_charts/figureSource.tsx";
import { FigureMenu } from "#app/_charts/FigureMenu.tsx";
import { LazyMount } from "#app/_charts/LazyMount.tsx";
import { Measured } from "#app/_charts/Measured.tsx";
import { PaperPlot, Plot } from "#app/_charts/Plot.tsx";
import { PlotCursor } from "#app/_charts/PlotCursor.tsx";
import type { ChartPart } from "#app/_charts/chartParts.ts";
import type { LegendEntry, RunName } from "#app/_charts/names.ts";
import { useChartAxis } from "#app/_charts/chartAxis.tsx";
import { useChartReferences } from "#app/_charts/chartReferences.tsx";
import { projectChart } from "#server/domain/runs/series/projectChart.ts";
import { prepareChart } from "#app/_charts/prepareChart.ts";
import type { ChartSettings } from "#app/_charts/settings.ts";

type Props = {
  chart: Chart;
  legend: readonly LegendEntry[];
  runs: ReadonlyMap<string, RunName>;
  settings: ChartSettings;
  onChange: (settings: ChartSettings) => void;
  /** One part per environment. */
  parts: readonly (ChartPart | undefined)[];
};

const height = 150;

/** One small chart per line, with shared axes, so that heights compare by eye. Each shows its seeds. */
export function SmallMultiples({ parts, ...shared }: Props) {
  return (
    <div className="space-y-3">
      {parts.map((part) => (
        <Multiples key={part?.name ?? ""} part={part} {...shared} />
      ))}
    </div>
  );
}

type PartProps = Omit<Props, "parts"> & { part: ChartPart | undefined };

function Multiples({ chart, legend: all, runs, settings, onChange, part }: PartProps) {
  const axis = useChartAxis();
  const source = useFigureSource();
  const references = useChartReferences();
  const { shown, models } = useMemo(() => {
    const context = { axis, references, environment: part?.environment, others: new Set(part?.others) };
    const legend = (part?.legend ?? all).filter(({ id }) => !part?.others.includes(id));
    const hideOthers = (entry: LegendEntry) => new Set(all.flatMap(({ id }) => (id === entry.id ? [] : [id])));
    const hidden = new Set([...settings.hidden, ...(part?.others ?? [])]);
    const whole = prepareChart({ chart, legend: all, runs, settings: { ...settings, hidden } }, context);
    const entries = legend.filter((entry) => !settings.hidden.has(entry.id));
    return {
      shown: entries,
      models: entries.map((entry) => {
        const alone = { ...settings, hidden: hideOthers(entry), seeds: true };
        const model = prepareChart({ chart, legend: all, runs, settings: alone }, context);
        return { ...model, key: `${model.key} ${entry.id}`, x: whole.x, y: whole.y };
      }),
    };
  }, [chart, all, runs, settings, axis, references, part]);
  const projected = projectChart(chart, axis);
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(min(17rem,100%),1fr))] gap-3">
      {part && <h3 className="col-span-full font-medium">{part.name}</h3>}
      {models.map((model, i) => (
        <figure key={model.key} className="min-w-0 rounded-lg border border-line bg-surface p-2">
          <figcaption className="flex flex-wrap items-baseline gap-x-2 px-1 text-sm font-medium">
            {shown[i]?.label} <span className="text-xs font-normal text-muted">{model.bandName}</span>
            <span className="ml-auto">
              <FigureMenu
                title={`${model.title}, ${shown[i]?.label ?? ""}`}
                paper={<PaperPlot model={model} legend={shown.slice(i, i + 1)} source={source} />}
                data={() => chartRows(projected, { legend: shown.slice(i, i + 1), runs }, { ...settings, seeds: true })}
              />
            </span>
          </figcaption>
          <LazyMount height={height}>
            <div className="relative">
              <Measured height={height}>{(width) => <Plot model={model} width={width} height={height} />}</Measured>
              <PlotCursor model={model} onZoom={(range) => onChange({ ...settings, range })} />
            </div>
          </LazyMount>
        </figure>
      ))}
    </div>
  );
}
