import { formatTick } from "./format.ts";
import { linearTicks, thinTicks } from "#server/domain/series/ticks.ts";

/** The axes of every figure, on screen and on paper: margins, sizes, which ticks are labelled and how. */
export type FigureAxis = {
  /** Stands beside the axis. Absent where the page names it. */
  label?: string;
  domain: readonly [number, number];
  ticks?: readonly number[];
  format?: (x: number) => string;
  scale?: "linear" | "log";
  /** Each tick is a thing of its own: none is left out, and a name that is too long is cut. */
  isNames?: boolean;
};

/** Pixels; on paper, units of which `paper` says how many an inch has. */
export const labelSize = 12;

type Frame = { readonly top: number; readonly right: number; readonly bottom: number; readonly left: number };
/** Space around a plot whose axes the page names, in pixels. Fixed, so that the cursor over the plot needs no measuring. */
export const plotFrame: Frame = { top: 8, right: 12, bottom: 22, left: 50 };
/** With room for the axes' names. */
const namedFrame: Frame = { top: 10, right: 14, bottom: 40, left: 56 };

export function frameOf(x: FigureAxis, y: FigureAxis): Frame {
  return x.label === undefined && y.label === undefined ? plotFrame : namedFrame;
}

export type LabelledTick = { value: number; text: string };

/** Pixels from one label of the y-axis to the next, and between labels of the x-axis. */
const rowHeight = 22;
const gap = 12;
/** Of a letter or digit, in heights of the type. */
const letterWidth = 0.6;

export function widthOf(text: string): number {
  return letterWidth * labelSize * text.length;
}

/** Ticks within an axis of so many pixels, as many as have room for their labels, at equal distances. */
export function labelTicks(axis: FigureAxis, lengthPixels: number, direction: "x" | "y"): LabelledTick[] {
  const { domain, format = formatTick, scale = "linear", isNames = false } = axis;
  const ticks = (axis.ticks ?? linearTicks(...domain)).filter(isWithin(domain));
  if (isNames) return nameTicks(ticks, format, lengthPixels / Math.max(1, domain[1] - domain[0]));
  const widest = ticks.reduce((most, tick) => Math.max(most, widthOf(format(tick))), 0);
  const room = direction === "y" ? rowHeight : widest + gap;
  const most = Math.max(2, Math.floor(lengthPixels / room));
  return thinTicks(ticks, most, scale).map((value) => ({ value, text: format(value) }));
}

function nameTicks(ticks: readonly number[], format: (tick: number) => string, pixelsEach: number): LabelledTick[] {
  const most = Math.max(3, Math.floor((pixelsEach - gap / 2) / (letterWidth * labelSize)));
  return ticks.map((value) => {
    const name = format(value);
    return { value, text: name.length > most ? `${name.slice(0, most - 1)}…` : name };
  });
}

/** Where a value lies on an axis: 0 at its start, 1 at its end. */
export function toFraction(value: number, [from, to]: readonly [number, number], scale: "linear" | "log"): number {
  if (from === to) return 0;
  if (scale === "linear") return (value - from) / (to - from);
  return Math.log(value / from) / Math.log(to / from);
}

function isWithin([low, high]: readonly [number, number]): (tick: number) => boolean {
  const slack = 1e-9 * (high - low);
  return (tick) => tick >= low - slack && tick <= high + slack;
}
