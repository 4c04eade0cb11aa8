import { formatTick } from "./format.ts";
import { FigureDrawing } from "./FigureDrawing.tsx";
import { paper } from "./exportFigure.ts";
import type { LegendEntry } from "./names.ts";
import type { ChartModel } from "./prepareChart.ts";
import { DrawnSeries } from "./SeriesLayer.tsx";

/** A chart as a paper wants it: a column wide, with the names of its lines and what its bands are. */
export function PaperChart({ model, legend }: { model: ChartModel; legend: readonly LegendEntry[] }) {
  const drawn = new Set(model.lines.map(({ id }) => id));
  const { x, y, unit, title } = model;
  const [low, high] = y.domain;
  const texts = new Map(y.ticks.map(({ value, text }) => [value, text]));
  return (
    <FigureDrawing
      {...paper}
      title={title}
      x={{ label: x.name, domain: x.domain, ticks: x.ticks, format: formatTick }}
      y={{
        label: unit === "" || unit === "fraction" ? title : `${title} (${unit})`,
        domain: y.domain,
        scale: y.scale,
        ticks: y.ticks.map(({ value }) => value),
        format: (tick) => texts.get(tick) ?? formatTick(tick),
      }}
      keys={legend.filter(({ id }) => drawn.has(id))}
    >
      {({ x: toX, y: toY, plot }) => (
        // A band may reach beyond the axis; it ends there.
        <DrawnSeries model={model} toX={toX} toY={(v) => toY(Math.min(high, Math.max(low, v)))} plot={plot} />
      )}
    </FigureDrawing>
  );
}
