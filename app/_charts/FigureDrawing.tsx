import type { ReactNode } from "react";
import { placeKeys, type FigureKey } from "./placeKeys.ts";
import { toFraction } from "./plotFrame.ts";
import { linearTicks } from "./ticks.ts";

export type FigureAxis = {
  label: string;
  domain: readonly [number, number];
  ticks?: readonly number[];
  format?: (x: number) => string;
  scale?: "linear" | "log";
};
type Scale = (value: number) => number;
export type Scales = { x: Scale; y: Scale; plot: { x: number; width: number; y: number; height: number } };

type Props = {
  title: string;
  x: FigureAxis;
  y: FigureAxis;
  width: number;
  height: number;
  fontSize: number;
  /** Names of the lines, under the axis: in a paper no page says them. */
  keys?: readonly FigureKey[];
  className?: string;
  children: (scales: Scales) => ReactNode;
};

const margin = { top: 10, right: 14, bottom: 40, left: 56 } as const;

/** Two axes and what is drawn on them, as SVG that needs no style sheet but the colours. */
export function FigureDrawing({ title, x, y, width, height, fontSize, keys = [], className, children }: Props) {
  const placed = placeKeys(keys, { width: width - 16, fontSize });
  const bottom = height - margin.bottom;
  const plot = {
    x: margin.left,
    width: width - margin.left - margin.right,
    y: margin.top,
    height: bottom - margin.top,
  };
  const toX: Scale = (value) => margin.left + fractionOf(value, x) * plot.width;
  const toY: Scale = (value) => bottom - fractionOf(value, y) * plot.height;
  const whole = height + placed.height;
  return (
    <svg viewBox={`0 0 ${width} ${whole}`} className={className} role="img" aria-label={title} fontSize={fontSize}>
      {(y.ticks ?? linearTicks(...y.domain)).filter(within(y.domain)).map((tick) => (
        <g key={tick}>
          <line x1={margin.left} x2={width - margin.right} y1={toY(tick)} y2={toY(tick)} stroke="var(--line)" />
          <text x={margin.left - 6} y={toY(tick) + 4} textAnchor="end" fill="var(--muted)">
            {(y.format ?? sayTick)(tick)}
          </text>
        </g>
      ))}
      {(x.ticks ?? linearTicks(...x.domain)).filter(within(x.domain)).map((tick) => (
        <text key={tick} x={toX(tick)} y={bottom + 16} textAnchor="middle" fill="var(--muted)">
          {(x.format ?? sayTick)(tick)}
        </text>
      ))}
      <line x1={margin.left} x2={width - margin.right} y1={bottom} y2={bottom} stroke="var(--edge)" />
      <text x={(margin.left + width - margin.right) / 2} y={height - 6} textAnchor="middle" fill="var(--text)">
        {x.label}
      </text>
      <text transform={`translate(13 ${(margin.top + bottom) / 2}) rotate(-90)`} textAnchor="middle" fill="var(--text)">
        {y.label}
      </text>
      {children({ x: toX, y: toY, plot })}
      {placed.items.map(({ key, x: left, y: top }) => (
        <g key={key.label} transform={`translate(${8 + left} ${height + top})`}>
          <line x1={0} x2={16} y1={-4} y2={-4} stroke={key.color} strokeWidth={2} strokeDasharray={key.dash} />
          <text x={20} fill="var(--text)">
            {key.label}
          </text>
        </g>
      ))}
    </svg>
  );
}

function fractionOf(value: number, { domain, scale = "linear" }: FigureAxis): number {
  return domain[0] === domain[1] ? 0 : toFraction(value, domain, scale);
}

function within([low, high]: readonly [number, number]): (tick: number) => boolean {
  const slack = 1e-9 * (high - low);
  return (tick) => tick >= low - slack && tick <= high + slack;
}

function sayTick(tick: number): string {
  return Math.abs(tick) >= 1000 ? tick.toLocaleString("en-US") : String(tick);
}
