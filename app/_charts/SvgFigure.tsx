"use client";
import { useRef, type ReactNode } from "react";
import { linearTicks } from "./ticks.ts";
import { exportCsv, exportSvg } from "./exportFigure.ts";

type Axis = {
  label: string;
  domain: readonly [number, number];
  ticks?: readonly number[];
  format?: (x: number) => string;
};
type Scale = (value: number) => number;

type Props = {
  /** Names the figure and its files. */
  title: string;
  caption?: ReactNode;
  x: Axis;
  y: Axis;
  /** The numbers drawn, first row the header. */
  data: readonly (readonly (string | number)[])[];
  height?: number;
  /** Of the drawing: type keeps its size, so figures that stand three abreast are drawn narrower. */
  width?: number;
  children: (scales: { x: Scale; y: Scale }) => ReactNode;
};

const margin = { top: 10, right: 14, bottom: 40, left: 56 } as const;

/** A figure with two linear axes, to be read on the page and in a paper: as SVG with readable type, and its data as CSV. */
export function SvgFigure({ title, caption, x, y, data, height = 300, width = 640, children }: Props) {
  const figure = useRef<HTMLElement>(null);
  const toX: Scale = (value) =>
    margin.left + ((value - x.domain[0]) / (x.domain[1] - x.domain[0] || 1)) * (width - margin.left - margin.right);
  const toY: Scale = (value) =>
    height -
    margin.bottom -
    ((value - y.domain[0]) / (y.domain[1] - y.domain[0] || 1)) * (height - margin.top - margin.bottom);
  const bottom = height - margin.bottom;
  return (
    <figure ref={figure} aria-label={title} className="min-w-0 rounded-lg border border-line bg-surface p-3">
      <figcaption className="mb-1 flex flex-wrap items-baseline gap-x-3">
        <h3 className="font-semibold">{title}</h3>
        <span className="ml-auto flex gap-2 text-xs">
          <button
            type="button"
            className="text-accent hover:underline"
            onClick={() => exportSvg(figure.current, title)}
          >
            SVG
          </button>
          <button type="button" className="text-accent hover:underline" onClick={() => exportCsv(data, title)}>
            CSV
          </button>
        </span>
        {caption && <span className="w-full text-xs text-muted">{caption}</span>}
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        className="mx-auto w-full max-w-3xl"
        role="img"
        aria-label={title}
        fontSize={13}
      >
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
        <text
          transform={`translate(13 ${(margin.top + bottom) / 2}) rotate(-90)`}
          textAnchor="middle"
          fill="var(--text)"
        >
          {y.label}
        </text>
        {children({ x: toX, y: toY })}
      </svg>
    </figure>
  );
}

function within([low, high]: readonly [number, number]): (tick: number) => boolean {
  const slack = 1e-9 * (high - low);
  return (tick) => tick >= low - slack && tick <= high + slack;
}

function sayTick(tick: number): string {
  return Math.abs(tick) >= 1000 ? tick.toLocaleString("en-US") : String(tick);
}
