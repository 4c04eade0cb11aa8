import type { ReactNode } from "react";
import { Curve, Surface } from "recharts";
import {
  type FigureAxis,
  frameOf,
  type LabelledTick,
  labelSize,
  labelTicks,
  linesOf,
  nameLine,
  slant,
  toFraction,
  widthOf,
} from "./axes.ts";
import { type FigureKey, placeKeys } from "./placeKeys.ts";

export type Scale = (value: number) => number;
export type PlotArea = { x: number; width: number; y: number; height: number };
/** Scales from data to pixels, the plot's rectangle, and the curve component of recharts, which is loaded on demand. */
export type Scales = { x: Scale; y: Scale; plot: PlotArea; Curve: typeof Curve };

type Props = {
  /** Accessible name of the drawing; undefined if the surrounding page already shows a title. */
  title?: string;
  x: FigureAxis;
  y: FigureAxis;
  /** Figure width: CSS pixels on screen, units of `paper` in an exported figure; font sizes have the same unit. */
  width: number;
  height: number;
  /** Legend below the axis of an exported figure, which has no page legend beside it. */
  keys?: readonly FigureKey[];
  caption?: string;
  /** Width in pixels right of the plot, reserved for line names. */
  right?: number;
  children: (scales: Scales) => ReactNode;
};

/** Draws axes and contents as SVG without style sheet or React effects, so that a server can render the figure. */
export function FigureDrawing({ title, x, y, width, height, keys = [], caption = "", right, children }: Props) {
  const placed = placeKeys(keys, { width: width - 16, fontSize: labelSize });
  const captionLines = wrapText(caption, width - 16);
  const below = placed.height + (captionLines.length > 0 ? captionLines.length * captionLine + 8 : 0);
  const usual = frameOf(x, y, width);
  const frame = { ...usual, right: right ?? usual.right };
  const plot = {
    x: frame.left,
    width: Math.max(1, width - frame.left - frame.right),
    y: frame.top,
    height: height - frame.top - frame.bottom,
  };
  const toX: Scale = (value) => plot.x + toFraction(value, x.domain, x.scale ?? "linear") * plot.width;
  const toY: Scale = (value) => plot.y + (1 - toFraction(value, y.domain, y.scale ?? "linear")) * plot.height;
  const bottom = plot.y + plot.height;
  return (
    <div {...(title === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": title })}>
      <Surface width={width} height={height + below}>
        {labelTicks(y, plot.height, "y").map(({ value, text }) => (
          <g key={value}>
            <line x1={plot.x} x2={plot.x + plot.width} y1={toY(value)} y2={toY(value)} stroke="var(--line)" />
            <TickLabel text={text} x={plot.x - 8} y={toY(value) + 4} anchor="end" />
          </g>
        ))}
        <line x1={plot.x} x2={plot.x + plot.width} y1={bottom} y2={bottom} stroke="var(--edge)" />
        {labelTicks(x, plot.width, "x").map((tick) => (
          <LabelBelow key={tick.value} tick={tick} x={toX(tick.value)} y={bottom} figureWidth={width} />
        ))}
        <AxisName text={x.label} x={plot.x + plot.width / 2} y={height - 6} />
        <AxisName text={y.label} x={13} y={plot.y + plot.height / 2} isUpright />
        <g fontSize={labelSize}>{children({ x: toX, y: toY, plot, Curve })}</g>
        <Below keys={placed} caption={captionLines} y={height} />
      </Surface>
    </div>
  );
}

type BelowProps = { keys: ReturnType<typeof placeKeys>; caption: readonly string[]; y: number };

function Below({ keys, caption, y }: BelowProps) {
  return (
    <>
      {keys.items.map(({ key, x: left, y: top }) => (
        <g key={key.label} fontSize={labelSize} transform={`translate(${8 + left} ${y + top})`}>
          <line x1={0} x2={16} y1={-4} y2={-4} stroke={key.color} strokeWidth={2} strokeDasharray={key.dash} />
          <text x={20} fill="var(--text)">
            {key.label}
          </text>
        </g>
      ))}
      {caption.map((line, i) => (
        <text key={line} x={8} y={y + keys.height + 8 + i * captionLine} fontSize={captionSize} fill="var(--muted)">
          {line}
        </text>
      ))}
    </>
  );
}

type TickLabelProps = { text: string; x: number; y: number; anchor: "middle" | "end"; transform?: string };

function TickLabel({ text, anchor, ...placed }: TickLabelProps) {
  return (
    <text {...placed} textAnchor={anchor} fontSize={labelSize} fill="var(--muted)">
      {text}
    </text>
  );
}

type LabelBelowProps = { tick: LabelledTick; x: number; y: number; figureWidth: number };

/** Draws a tick label below the x-axis: slanted, or shifted to stay within the figure's right edge. */
function LabelBelow({ tick: { text, isSlanted = false }, x, y, figureWidth }: LabelBelowProps) {
  if (!isSlanted)
    return <TickLabel text={text} x={Math.min(x, figureWidth - widthOf(text) / 2)} y={y + 16} anchor="middle" />;
  const transform = `rotate(${-(slant * 180) / Math.PI} ${x} ${y + 12})`;
  return <TickLabel text={text} x={x} y={y + 16} anchor="end" transform={transform} />;
}

type NameProps = { text: string | undefined; x: number; y: number; isUpright?: boolean };

function AxisName({ text, x, y, isUpright = false }: NameProps) {
  if (text === undefined) return null;
  // The title of an x-axis is never wrapped, because the axis is wide enough.
  const lines = isUpright ? linesOf(text) : [text];
  return (
    <text
      transform={`translate(${x} ${y})${isUpright ? " rotate(-90)" : ""}`}
      textAnchor="middle"
      fontSize={labelSize}
      fill="var(--text)"
    >
      {lines.map((line, i) => (
        <tspan key={line} x={0} y={i * nameLine}>
          {line}
        </tspan>
      ))}
    </text>
  );
}

/** Font size and line height of an exported figure's caption. */
const captionSize = 9.5;
const captionLine = 12.5;
const letterWidth = 0.53;

/** Wraps the caption to lines of at most `width` units; a word wider than a line is cut. */
function wrapText(text: string, width: number): string[] {
  const most = Math.max(8, Math.floor(width / (letterWidth * captionSize)));
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const fitting = word.length > most ? `${word.slice(0, most - 1)}…` : word;
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + fitting.length <= most) lines.splice(-1, 1, `${last} ${fitting}`);
    else lines.push(fitting);
  }
  return lines;
}
