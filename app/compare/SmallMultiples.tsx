"use client";
import { useMemo } from "react";
import type { Chart } from "#server/domain/series/chartData.ts";
import { chartRows } from "#app/_charts/chartRows.ts";
import { useFigureSource } from "#app/_charts/figureSource.tsx";
import { FigureMenu } from "#app/_charts/FigureMenu.tsx";
import { LazyMount } from "#app/_charts/LazyMount.tsx";
import { Measured } from "#app/_charts/Measured.tsx";
import { PaperPlot, Plot } from "#app/_charts/Plot.tsx";
import { PlotCursor } from "#app/_charts/PlotCursor.tsx";
import type { LegendEntry, RunName } from "#app/_charts/names.ts";
import { useChartAxis } from "#app/_charts/chartAxis.tsx";
import { useChartReferences } from "#app/_charts/chartReferences.tsx";
import { projectChart } from "#server/domain/series/projectChart.ts";
import { prepareChart } from "#app/_charts/prepareChart.ts";
import type { ChartSettings } from "#app/_charts/settings.ts";

type Props = {
  chart: Chart;
  legend: readonly LegendEntry[];
  runs: ReadonlyMap<string, RunName>;
  settings: ChartSettings;
  onChange: (settings: ChartSettings) => void;
};

const height = 150;

/** One small chart per line, all on the axes of the whole, so that heights can be compared by eye. Each shows its seeds. */
export function SmallMultiples({ chart, legend, runs, settings, onChange }: Props) {
  const axis = useChartAxis();
  const source = useFigureSource();
  const references = useChartReferences();
  const shown = legend.filter((entry) => !settings.hidden.has(entry.id));
  const models = useMemo(() => {
    const whole = prepareChart({ chart, legend, runs, settings }, { axis, references });
    return legend
      .filter((entry) => !settings.hidden.has(entry.id))
      .map((entry) => {
        const hidden = new Set(legend.map(({ id }) => id).filter((id) => id !== entry.id));
        const model = prepareChart(
          { chart, legend, runs, settings: { ...settings, hidden, seeds: true } },
          { axis, references },
        );
        return { ...model, key: `${model.key} ${entry.id}`, x: whole.x, y: whole.y };
      });
  }, [chart, legend, runs, settings, axis, references]);
  const projected = projectChart(chart, axis);
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(min(17rem,100%),1fr))] gap-3">
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
