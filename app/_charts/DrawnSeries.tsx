import type { PlotArea, Scale } from "./FigureDrawing.tsx";
import type { ChartModel, DrawnLine } from "./prepareChart.ts";
import { isBehind, useLiftedLine } from "./liftedLine.tsx";
import type { AxisMark } from "./prepareFlags.ts";
import { glyphs } from "./prepareMarks.ts";
import type { Point } from "./segments.ts";

const strokes: Record<DrawnLine["weight"], { width: number; opacity: number }> = {
  line: { width: 1.75, opacity: 1 },
  partial: { width: 1.5, opacity: 0.45 },
  faint: { width: 1, opacity: 0.35 },
  seed: { width: 0.9, opacity: 0.55 },
  ghost: { width: 1.5, opacity: 0.6 },
};
/** Lines with at most this many points show each point, so that measurements can be told from the line between them. */
const maxDottedPoints = 45;

/** Glyphs of events on the axis, as SVG paths from the middle of the glyph's foot. */
const eventShapes: Record<AxisMark["kind"], string> = {
  collapse: "m-4 -8l8 8m-8 0l8 -8",
  alarm: "l-4 -7h8z",
  recovery: "m-3.5 -4a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0",
  checkpoint: "m-2.5 -1v-5h5v5z",
  restart: "v-9m-3.5 0l3.5 -5l3.5 5z",
};

type Drawn = {
  model: ChartModel;
  toX: Scale;
  toY: Scale;
  plot: PlotArea;
  /** Id of the clip path at the plot's edge. */ clip: string;
};

/** Bands, lines and glyphs of one chart model. */
export function DrawnSeries({ model, toX, toY, plot, clip }: Drawn) {
  const [pointedAt] = useLiftedLine();
  const lifted = new Set(model.lines.flatMap(({ id }) => (pointedAt.has(id) ? [id] : [])));
  const areas = lifted.size === 0 && !model.hasManyBands ? model.areas : model.areas.filter(({ id }) => lifted.has(id));
  return (
    <g aria-hidden="true">
      <g clipPath={`url(#${clip})`}>
        {areas.map(({ id, color, segments }) => (
          <path
            key={id}
            d={segments.map((segment) => areaPath(segment, toX, toY)).join("")}
            fill={color}
            opacity={0.15}
          />
        ))}
        {model.lines.map((line, i) => (
          <g key={`${line.id}-${line.weight}-${i}`} opacity={isBehind(line.id, lifted) ? 0.25 : 1}>
            <LinePath line={line} isDotted={!model.isCrowded || lifted.has(line.id)} toX={toX} toY={toY} />
          </g>
        ))}
      </g>
      {model.seedEdges
        .filter(({ id }) => !model.isCrowded || lifted.has(id))
        .map(({ id, color, x, y, label }) => (
          <path key={`${id} ${label} ${x}`} d={`M${at(toX(x))} ${at(toY(y) - 5)}v10`} stroke={color} strokeWidth={1.5}>
            <title>{label}</title>
          </path>
        ))}
      {model.events.map(({ x, kind, color, label }, i) => (
        <path
          key={`${label}-${i}`}
          d={`M${at(toX(x))} ${at(plot.y + plot.height)}${eventShapes[kind]}`}
          stroke={color}
          strokeWidth={kind === "checkpoint" ? 1.25 : 1.75}
          fill={kind === "recovery" || kind === "checkpoint" ? "none" : color}
        >
          <title>{label}</title>
        </path>
      ))}
      {model.marks.map(({ x, kind, color, label }, i) => (
        <text
          key={`${label}-${i}`}
          x={toX(x)}
          y={glyphs[kind].edge === "top" ? plot.y + 9 : plot.y + plot.height - 3}
          fill={color}
          fontWeight={700}
          textAnchor="middle"
        >
          {glyphs[kind].sign}
        </text>
      ))}
    </g>
  );
}

type LineProps = { line: DrawnLine; isDotted: boolean; toX: Scale; toY: Scale };

function LinePath({ line, isDotted: mayBeDotted, toX, toY }: LineProps) {
  const { width, opacity } = strokes[line.weight];
  const numPoints = line.segments.reduce((sum, segment) => sum + segment.length, 0);
  const isDotted = mayBeDotted && (line.weight === "line" || line.weight === "partial") && numPoints <= maxDottedPoints;
  const dots = line.segments.filter((segment) => isDotted || segment.length === 1).flat();
  return (
    <g opacity={opacity}>
      <path
        d={line.segments.map((segment) => linePath(segment, toX, toY)).join("")}
        fill="none"
        stroke={line.color}
        strokeWidth={width}
        strokeDasharray={line.dash}
        strokeLinejoin="round"
      />
      {dots.map((point) => (
        <circle key={point.x} cx={toX(point.x)} cy={toY(point.y)} r={width + 0.4} fill={line.color} />
      ))}
    </g>
  );
}

function linePath(segment: readonly Point[], toX: Scale, toY: Scale): string {
  return segment.map(({ x, y }, i) => `${i === 0 ? "M" : "L"}${at(toX(x))} ${at(toY(y))}`).join("");
}

function areaPath(segment: readonly Point[], toX: Scale, toY: Scale): string {
  const edge = segment.flatMap(({ x, low, high }) => (low === null || high === null ? [] : [{ x, low, high }]));
  if (edge.length < 2) return "";
  const upper = edge.map(({ x, high }, i) => `${i === 0 ? "M" : "L"}${at(toX(x))} ${at(toY(high))}`);
  const lower = edge.toReversed().map(({ x, low }) => `L${at(toX(x))} ${at(toY(low))}`);
  return `${upper.join("")}${lower.join("")}Z`;
}

function at(pixel: number): string {
  return pixel.toFixed(1);
}
