import type { ReactNode } from "react";
import { Axes, type PlotArea, type Scale } from "./Axes.tsx";
import { frameOf, labelSize, toFraction, type FigureAxis } from "./axes.ts";
import { placeKeys, type FigureKey } from "./placeKeys.ts";

export type Scales = { x: Scale; y: Scale; plot: PlotArea };

type Props = {
  /** Absent where what is around the drawing says it to assistive technology. */
  title?: string;
  x: FigureAxis;
  y: FigureAxis;
  /** Pixels on a page, units on paper: type is as large in both, so nothing is scaled. */
  width: number;
  height: number;
  /** Names of the lines, under the axis: in a paper no page says them. */
  keys?: readonly FigureKey[];
  children: (scales: Scales) => ReactNode;
};

/** Two axes and what is drawn on them, as SVG that needs no style sheet but the colours. */
export function FigureDrawing({ title, x, y, width, height, keys = [], children }: Props) {
  const placed = placeKeys(keys, { width: width - 16, fontSize: labelSize });
  const frame = frameOf(x, y);
  const plot = {
    x: frame.left,
    width: Math.max(1, width - frame.left - frame.right),
    y: frame.top,
    height: height - frame.top - frame.bottom,
  };
  const toX: Scale = (value) => plot.x + toFraction(value, x.domain, x.scale ?? "linear") * plot.width;
  const toY: Scale = (value) => plot.y + (1 - toFraction(value, y.domain, y.scale ?? "linear")) * plot.height;
  const whole = height + placed.height;
  return (
    <svg
      viewBox={`0 0 ${width} ${whole}`}
      width={width}
      height={whole}
      {...(title === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": title })}
      fontSize={labelSize}
      className="block"
    >
      <Axes x={x} y={y} toX={toX} toY={toY} plot={plot} width={width} height={height} />
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
