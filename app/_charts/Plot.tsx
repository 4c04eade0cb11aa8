"use client";
import { memo } from "react";
import { DrawnSeries } from "./DrawnSeries.tsx";
import { paper } from "./paperSize.ts";
import { labelSize, type FigureAxis, plotFrame } from "./axes.ts";
import { LineNames } from "./LineNames.tsx";
import { cutName, endsOfLines, laneFor, placeLineNames, roomForNames } from "./lineEnds.ts";
import { baselineDash, type LegendEntry } from "./names.ts";
import type { FigureKey } from "./placeKeys.ts";
import type { ChartModel, Whisker } from "./prepareChart.ts";
import type { PlotArea, Scale } from "./FigureDrawing.tsx";
import { LazyDrawing } from "./LazyDrawing.tsx";
import type { DrawnReference } from "./prepareReferences.ts";
import { groupBy } from "#packages/base";
import { writeTick } from "#packages/statistics";
import { isBehind, useLiftedLine } from "./liftedLine.tsx";

type Props = { model: ChartModel; width: number; height: number };

/** Draws a chart on screen, without axis titles. Charts of many lines name them at their ends. */
export const Plot = memo(function Plot(props: Props) {
  return <Drawing {...props} right={roomForNames(props.model, props.width)} isNamed={false} keys={[]} />;
});

type PaperProps = {
  model: ChartModel;
  legend: readonly LegendEntry[];
  /** Names of the sweeps, for the end of an exported file's caption. If undefined, the figure has no caption. */
  source?: string;
  /** Size of the figure in a report; the default is one paper column wide. */
  size?: { width: number; height: number };
};

/** Draws a chart for a paper or a report, with axis titles and a legend, which on screen are elsewhere on the page. */
export function PaperPlot({ model, legend, source, size = paper }: PaperProps) {
  const drawn = new Set(model.lines.map(({ id }) => id));
  const keys = legend.filter(({ id }) => drawn.has(id));
  const right = model.whiskers.length > 0 ? laneFor(model) + 8 : undefined;
  const caption = source === undefined ? "" : captionOf(model, source);
  return <Drawing model={model} {...size} isNamed keys={keys} right={right} caption={caption} />;
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
  const [low, high] = model.y.domain;
  const levels = levelsWithin(model);
  return (
    <LazyDrawing
      {...(isNamed && { title: model.title })}
      {...(right !== undefined && { right })}
      {...toAxes(model, isNamed)}
      {...size}
    >
      {({ x: toX, y: toY, plot, Curve }) => (
        <>
          {/* `toY` clamps bands and points that lie far outside the axes; the plot area hides them. */}
          <DrawnSeries
            Curve={Curve}
            model={model}
            toX={toX}
            toY={(y) =>
              Math.min(
                plot.y + 2 * plot.height,
                Math.max(plot.y - plot.height, toY(model.y.scale === "log" ? Math.max(low / 10, y) : y)),
              )
            }
            plot={plot}
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

/** Returns the right ends of lines and baselines in pixels, with their names and looks. */
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

/** Vertical distance in pixels from a reference line to the middle of its name above it. */
const lift = 8;

type ReferenceLinesProps = {
  references: readonly DrawnReference[];
  plot: PlotArea;
  /** True: the line's name is at the plot's right end, above or below the line. False: it is beside the plot. */
  isNamed: boolean;
};

function ReferenceLines({ references, plot, isNamed }: ReferenceLinesProps) {
  const right = plot.x + plot.width;
  const ends = references.map(({ id, label, short, y }) => {
    const isWhole = cutName(label, plot.width) === label;
    return { id, label: isWhole ? label : short, x: right, y: y - lift };
  });
  return (
    <g>
      {references.map(({ id, color, y }) => (
        <path
          key={id}
          d={`M${plot.x} ${y.toFixed(1)}H${right}`}
          fill="none"
          stroke={color}
          strokeWidth={1.5}
          strokeDasharray={baselineDash}
        />
      ))}
      {(isNamed ? placeLineNames(ends, plot).names : []).map(({ id, label, at }) => (
        <text
          key={id}
          x={right - 3}
          y={at + 4}
          fontSize={labelSize}
          textAnchor="end"
          fill="var(--text)"
          stroke="var(--surface)"
          strokeWidth={3}
          paintOrder="stroke"
        >
          {label}
          <title>{references.find((one) => one.id === id)?.label}</title>
        </text>
      ))}
    </g>
  );
}

type WhiskersProps = {
  whiskers: readonly Whisker[];
  toX: Scale;
  toY: Scale;
  plot: PlotArea;
  /** Width in pixels, right of the plot, of the strip in which whiskers are drawn. */
  lane: number;
};

/** Draws each line's last interval as a whisker right of it. Whiskers at one x are side by side, highest first. */
function Whiskers({ whiskers, toX, toY, plot, lane }: WhiskersProps) {
  const [lifted] = useLiftedLine();
  const step = lane / Math.max(1, whiskers.length);
  const together = groupBy(whiskers, ({ x }) => Math.round(toX(x) / 4));
  return (
    <g aria-hidden="true">
      {[...together.values()].flatMap((same) =>
        same
          .toSorted((a, b) => b.y - a.y)
          .map(({ id, color, x, y, low, high }, i) => {
            const at = Math.min(toX(x), plot.x + plot.width) + 4 + i * step;
            const [top, bottom] = [toY(high), toY(low)];
            const cap = Math.min(2, step / 2);
            return (
              <g key={id} opacity={isBehind(id, lifted) ? 0.2 : 1}>
                <path
                  d={`M${at - cap} ${top.toFixed(1)}h${2 * cap}M${at} ${top.toFixed(1)}V${bottom.toFixed(1)}m${-cap} 0h${2 * cap}`}
                  fill="none"
                  stroke={color}
                  strokeWidth={Math.min(1.25, step / 2)}
                />
                <circle cx={at} cy={toY(y)} r={Math.min(2, step / 2)} fill={color} />
              </g>
            );
          }),
      )}
    </g>
  );
}

/** Returns the caption of an exported chart: metric, seeds and interval, all remarks, and the sweeps. */
export function captionOf({ title, bandName, hasManyBands, notes }: ChartModel, source: string): string {
  const isSmoothed = notes.some((note) => note.startsWith("smoothed"));
  const sentences = [
    `${title}: ${bandName}${hasManyBands ? "" : bandName.includes("[") ? ", shaded" : ""}`,
    ...notes,
    ...(isSmoothed ? [] : ["not smoothed"]),
    ...(source === "" ? [] : [source]),
  ];
  return sentences.map((one) => `${one.charAt(0).toUpperCase()}${one.slice(1)}.`).join(" ");
}

function toAxes({ x, y, unit, title }: ChartModel, isNamed: boolean): { x: FigureAxis; y: FigureAxis } {
  const texts = new Map(y.ticks.map(({ value, text }) => [value, text]));
  const yLabel = unit === "" || unit === "fraction" ? title : `${title} (${unit})`;
  return {
    x: { domain: x.domain, ticks: x.ticks, ...(isNamed && { label: x.name }) },
    y: {
      domain: y.domain,
      scale: y.scale,
      ticks: y.ticks.map(({ value }) => value),
      format: (tick) => texts.get(tick) ?? writeTick(tick, { unit }),
      ...(isNamed && { label: yLabel }),
    },
  };
}
