"use client";
import { memo } from "react";
import { DrawnSeries } from "./DrawnSeries.tsx";
import { paper } from "./exportFigure.ts";
import { FigureDrawing } from "./FigureDrawing.tsx";
import type { LegendEntry } from "./names.ts";
import type { FigureKey } from "./placeKeys.ts";
import type { ChartModel } from "./prepareChart.ts";
import { toAxes } from "./toAxes.ts";

type Props = { model: ChartModel; width: number; height: number };

/** A chart on a page, which names its axes and lines around it; pixels. */
export const Plot = memo(function Plot(props: Props) {
  return <Drawing {...props} isNamed={false} keys={[]} />;
});

/** A chart as a paper wants it: a column wide, with the names of its axes and lines. */
export function PaperPlot({ model, legend }: { model: ChartModel; legend: readonly LegendEntry[] }) {
  const drawn = new Set(model.lines.map(({ id }) => id));
  return <Drawing model={model} {...paper} isNamed keys={legend.filter(({ id }) => drawn.has(id))} />;
}

function Drawing({ model, isNamed, ...size }: Props & { isNamed: boolean; keys: readonly FigureKey[] }) {
  const [low, high] = model.y.domain;
  return (
    <FigureDrawing {...(isNamed && { title: model.title })} {...toAxes(model, isNamed)} {...size}>
      {({ x: toX, y: toY, plot }) => (
        // A band may reach beyond the axis; it ends there.
        <DrawnSeries model={model} toX={toX} toY={(y) => toY(Math.min(high, Math.max(low, y)))} plot={plot} />
      )}
    </FigureDrawing>
  );
}
