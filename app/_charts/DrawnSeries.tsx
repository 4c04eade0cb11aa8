import type { PlotArea, Scale, Scales } from "./FigureDrawing.tsx";
import type { ChartModel, DrawnLine } from "./prepareChart.ts";
import { isBehind, useLiftedLine } from "./liftedLine.tsx";
import { iconPaths } from "../_ui/Icon.tsx";
import { type AxisMark, glyphs, stateAt } from "./prepareFlags.ts";
import type { Point } from "./segments.ts";

const strokes: Record<DrawnLine["weight"], { width: number; opacity: number }> = {
  line: { width: 1.75, opacity: 1 },
  partial: { width: 1.5, opacity: 0.45 },
  faint: { width: 1, opacity: 0.35 },
  seed: { width: 0.9, opacity: 0.55 },
  ghost: { width: 1.5, opacity: 0.6 },
};
/** Maximum number of points in a line that has a dot at each point; dots distinguish measured values from the line. */
const maxDottedPoints = 45;

/** SVG path of each event without a state, relative to the axis at its x. */
const eventShapes = { checkpoint: "m-2.5 -1v-5h5v5z", restart: "v-9m-3.5 0l3.5 -5l3.5 5z" } as const;
/** Width and height in pixels of a state's sign on the x-axis. */
const signSize = 15;

type Drawn = Pick<Scales, "Curve"> & {
  model: ChartModel;
  toX: Scale;
  toY: Scale;
  plot: PlotArea;
};

export function DrawnSeries({ Curve, model, toX, toY, plot }: Drawn) {
  const [pointedAt] = useLiftedLine();
  const lifted = new Set(model.lines.flatMap(({ id }) => (pointedAt.has(id) ? [id] : [])));
  const areas = lifted.size === 0 && !model.hasManyBands ? model.areas : model.areas.filter(({ id }) => lifted.has(id));
  const [left, top, width, height] = [plot.x, plot.y - 2, plot.width + 3, plot.height + 4];
  return (
    <g aria-hidden="true">
      {/* A nested <svg> clips bands and lines; a clip path would need a unique id in every figure of a report. */}
      <svg x={left} y={top} width={width} height={height} viewBox={`${left} ${top} ${width} ${height}`}>
        {areas.map((area) => (
          <Band key={area.id} area={area} Curve={Curve} toX={toX} toY={toY} />
        ))}
        {model.lines.map((line, i) => (
          <g key={`${line.id}-${line.weight}-${i}`} opacity={isBehind(line.id, lifted) ? 0.25 : 1}>
            <LinePath
              Curve={Curve}
              line={line}
              isDotted={!model.isCrowded || lifted.has(line.id)}
              toX={toX}
              toY={toY}
            />
          </g>
        ))}
      </svg>
      {model.seedEdges
        .filter(({ id }) => !model.isCrowded || lifted.has(id))
        .map(({ id, color, x, y, label }) => (
          <path key={`${id} ${label} ${x}`} d={`M${at(toX(x))} ${at(toY(y) - 5)}v10`} stroke={color} strokeWidth={1.5}>
            <title>{label}</title>
          </path>
        ))}
      {model.events.map((event, i) => (
        <EventSign key={`${event.label}-${i}`} event={event} x={toX(event.x)} plot={plot} />
      ))}
      {model.marks.map(({ x, kind, color, label }, i) => (
        <text
          key={`${label}-${i}`}
          x={toX(x)}
          y={glyphs[kind].edge === "top" ? plot.y + 9 : plot.y + plot.height - 3}
          fill={color}
          fontSize={9}
          fontWeight={700}
          textAnchor="middle"
        >
          {glyphs[kind].name}
        </text>
      ))}
    </g>
  );
}

/** An event's mark on the x-axis: the sign of its state, the same as in tables, or the shape of what happened. */
function EventSign({ event: { kind, color, label }, x, plot }: { event: AxisMark; x: number; plot: PlotArea }) {
  const bottom = plot.y + plot.height;
  if (kind === "checkpoint" || kind === "restart" || kind === "change") {
    return (
      <path
        d={`M${at(x)} ${at(bottom)}${kind === "change" ? `v${-plot.height}` : eventShapes[kind]}`}
        stroke={color}
        strokeWidth={kind === "restart" ? 1.75 : 1.25}
        strokeDasharray={kind === "change" ? "1.5 3" : undefined}
        fill={kind === "checkpoint" ? "none" : color}
      >
        <title>{label}</title>
      </path>
    );
  }
  const scale = signSize / 16;
  return (
    <path
      transform={`translate(${at(x - signSize / 2)} ${at(bottom - signSize)}) scale(${scale})`}
      d={iconPaths[stateAt(kind).icon]}
      stroke={color}
      strokeWidth={(kind === "hindsight" ? 2.25 : 1.25) / scale}
      strokeLinejoin="round"
      fill="none"
    >
      <title>{label}</title>
    </path>
  );
}

type BandProps = Pick<Drawn, "Curve" | "toX" | "toY"> & { area: ChartModel["areas"][number] };

function Band({ Curve, area: { color, segments }, toX, toY }: BandProps) {
  const edges = segments.map((segment) => segment.filter(({ low, high }) => low !== null && high !== null));
  return (
    <Curve
      points={toPixels(edges, toX, ({ high }) => toY(high ?? 0))}
      baseLine={toPixels(edges, toX, ({ low }) => toY(low ?? 0))}
      fill={color}
      opacity={0.15}
    />
  );
}

type LineProps = Pick<Scales, "Curve"> & { line: DrawnLine; isDotted: boolean; toX: Scale; toY: Scale };

function LinePath({ Curve, line, isDotted: mayBeDotted, toX, toY }: LineProps) {
  const { width, opacity } = strokes[line.weight];
  const numPoints = line.segments.reduce((sum, segment) => sum + segment.length, 0);
  const isDotted = mayBeDotted && (line.weight === "line" || line.weight === "partial") && numPoints <= maxDottedPoints;
  const dots = line.segments.filter((segment) => isDotted || segment.length === 1).flat();
  return (
    <g opacity={opacity}>
      <Curve
        points={toPixels(line.segments, toX, ({ y }) => toY(y))}
        fill="none"
        stroke={line.color}
        strokeWidth={width}
        {...(line.dash !== undefined && { strokeDasharray: line.dash })}
        strokeLinejoin="round"
      />
      {dots.map((point) => (
        <circle key={point.x} cx={round(toX(point.x))} cy={round(toY(point.y))} r={width + 0.4} fill={line.color} />
      ))}
    </g>
  );
}

/** Converts data points to pixels. A point without coordinates between segments makes recharts interrupt the curve. */
function toPixels(segments: readonly (readonly Point[])[], toX: Scale, toPixel: (point: Point) => number) {
  return segments.flatMap((segment) => [
    ...segment.map((point) => ({ x: round(toX(point.x)), y: round(toPixel(point)) })),
    { x: null, y: null },
  ]);
}

function round(pixel: number): number {
  return Math.round(10 * pixel) / 10;
}

function at(pixel: number): string {
  return pixel.toFixed(1);
}
