"use client";
import { memo, useId } from "react";
import { DrawnSeries } from "./DrawnSeries.tsx";
import { paper } from "./paperSize.ts";
import { plotFrame } from "./axes.ts";
import { captionOf } from "./captionOf.ts";
import { LazyDrawing } from "./LazyDrawing.tsx";
import { LineNames } from "./LineNames.tsx";
import { endsOfLines, laneFor, roomForNames } from "./lineEnds.ts";
import type { LegendEntry } from "./names.ts";
import type { FigureKey } from "./placeKeys.ts";
import type { ChartModel } from "./prepareChart.ts";
import { baselineDash } from "#server/domain/series/dashes.ts";
import type { PlotArea, Scale } from "./FigureDrawing.tsx";
import { ReferenceLines } from "./ReferenceLines.tsx";
import { toAxes } from "./toAxes.ts";
import { Whiskers } from "./Whiskers.tsx";

type Props = { model: ChartModel; width: number; height: number };

/** Draws a chart on a page, in pixels; the page names the axes. With many lines, each has its name at its end. */
export const Plot = memo(function Plot(props: Props) {
  return <Drawing {...props} right={roomForNames(props.model, props.width)} isNamed={false} keys={[]} />;
});

type PaperProps = {
  model: ChartModel;
  legend: readonly LegendEntry[];
  /** Names of the sweeps. */
  source: string;
};

/** Draws a chart for a paper: one column wide, with axis names, line names and a caption. */
export function PaperPlot({ model, legend, source }: PaperProps) {
  const drawn = new Set(model.lines.map(({ id }) => id));
  const keys = legend.filter(({ id }) => drawn.has(id));
  const right = model.whiskers.length > 0 ? laneFor(model) + 8 : undefined;
  return <Drawing model={model} {...paper} isNamed keys={keys} right={right} caption={captionOf(model, source)} />;
}

type DrawingProps = Props & {
  isNamed: boolean;
  keys: readonly FigureKey[];
  right?: number | undefined;
  caption?: string;
};

function Drawing({ model, isNamed, right, ...size }: DrawingProps) {
  const lane = laneFor(model);
  const areNamesBeside = !isNamed && right !== undefined && right > lane + plotFrame.right;
  const clip = useId();
  const [low, high] = model.y.domain;
  const levels = levelsWithin(model);
  return (
    <LazyDrawing
      {...(isNamed && { title: model.title })}
      {...(right !== undefined && { right })}
      {...toAxes(model, isNamed)}
      {...size}
    >
      {({ x: toX, y: toY, plot }) => (
        <>
          <clipPath id={clip}>
            <rect x={plot.x} y={plot.y - 2} width={plot.width + 3} height={plot.height + 4} />
          </clipPath>
          {/* Bands and points may lie outside the axes: `toY` limits their distance, and the clip path hides them. */}
          <DrawnSeries
            model={model}
            toX={toX}
            toY={(y) =>
              Math.min(
                plot.y + 2 * plot.height,
                Math.max(plot.y - plot.height, toY(model.y.scale === "log" ? Math.max(low / 10, y) : y)),
              )
            }
            plot={plot}
            clip={clip}
          />
          <ReferenceLines
            references={levels.map((level) => ({ ...level, y: toY(level.y) }))}
            plot={plot}
            isNamed={!areNamesBeside}
          />
          <Whiskers
            whiskers={model.whiskers}
            toX={toX}
            toY={(y) => Math.min(plot.y + plot.height, Math.max(plot.y, toY(Math.min(high, Math.max(low, y)))))}
            plot={plot}
            lane={lane}
          />
          {areNamesBeside && (
            <LineNames ends={placeEnds(model, { toX, toY, plot })} plot={plot} room={right} taken={lane} />
          )}
        </>
      )}
    </LazyDrawing>
  );
}

type Placed = { toX: Scale; toY: Scale; plot: PlotArea };

/** Ends of lines, and levels of baselines, in pixels. */
function placeEnds(model: ChartModel, { toX, toY, plot }: Placed) {
  const [low, high] = model.y.domain;
  const lines = endsOfLines(model).map((end) => ({
    ...end,
    x: toX(end.x),
    y: toY(Math.min(high, Math.max(low, end.y))),
  }));
  const levels = levelsWithin(model).map(({ id, short, color, y }) => ({
    id: `baseline ${id}`,
    label: short,
    isLevel: true,
    color,
    dash: baselineDash,
    x: plot.x + plot.width,
    y: toY(y),
  }));
  return [...lines, ...levels];
}

function levelsWithin({ references, y: { domain } }: ChartModel) {
  return references.filter(({ y }) => y >= domain[0] && y <= domain[1]);
}
