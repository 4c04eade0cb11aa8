import { labelTicks, widthOf, type FigureAxis } from "./axes.ts";

export type Scale = (value: number) => number;
export type PlotArea = { x: number; width: number; y: number; height: number };

type Props = { x: FigureAxis; y: FigureAxis; toX: Scale; toY: Scale; plot: PlotArea; width: number; height: number };

/** Grid, labels and names of both axes. */
export function Axes({ x, y, toX, toY, plot, width, height }: Props) {
  const [right, bottom] = [plot.x + plot.width, plot.y + plot.height];
  return (
    <g aria-hidden="true">
      {labelTicks(y, plot.height, "y").map(({ value, text }) => (
        <g key={value}>
          <line x1={plot.x} x2={right} y1={toY(value)} y2={toY(value)} stroke="var(--line)" />
          <text x={plot.x - 6} y={toY(value) + 4} textAnchor="end" fill="var(--muted)">
            {text}
          </text>
        </g>
      ))}
      {labelTicks(x, plot.width, "x").map(({ value, text }) => (
        // The last label would be cut at the figure's edge.
        <text
          key={value}
          x={Math.min(toX(value), width - widthOf(text) / 2)}
          y={bottom + 16}
          textAnchor="middle"
          fill="var(--muted)"
        >
          {text}
        </text>
      ))}
      <line x1={plot.x} x2={right} y1={bottom} y2={bottom} stroke="var(--edge)" />
      {x.label !== undefined && (
        <text x={plot.x + plot.width / 2} y={height - 6} textAnchor="middle" fill="var(--text)">
          {x.label}
        </text>
      )}
      {y.label !== undefined && (
        <text
          transform={`translate(13 ${plot.y + plot.height / 2}) rotate(-90)`}
          textAnchor="middle"
          fill="var(--text)"
        >
          {y.label}
        </text>
      )}
    </g>
  );
}
