import type { Metric } from "#trainer/spec/metric.ts";
import { writeTick } from "#packages/statistics";
import { formatTick, shorten } from "./format.ts";
import { linearTicks, logTicks, thinTicks } from "#server/domain/runs/series/ticks.ts";
import type { Limits } from "./limits.ts";
import type { Point } from "./segments.ts";

export type FigureAxis = {
  /** Axis title drawn beside the axis; undefined if the surrounding page shows the title. */
  label?: string;
  domain: readonly [number, number];
  ticks?: readonly number[];
  format?: (x: number) => string;
  scale?: "linear" | "log";
  /** True if every tick is a category name: none is omitted, and names too wide for their share are slanted. */
  isNames?: boolean;
};

/** Font size of tick labels: pixels on screen, units of `paper` in an exported figure. */
export const labelSize = 12;

type Frame = { readonly top: number; readonly right: number; readonly bottom: number; readonly left: number };
/** Margins in pixels of a plot without axis titles. They are constant, so the cursor needs no measurement. */
export const plotFrame: Frame = { top: 8, right: 12, bottom: 22, left: 56 };
/** Margins in pixels of a plot with axis titles. */
const namedFrame: Frame = { top: 10, right: 14, bottom: 40, left: 64 };

/** Returns the margins in pixels around the plot of a figure with this width, with enough space for its labels. */
export function frameOf(x: FigureAxis, y: FigureAxis, width: number): Frame {
  const usual = x.label === undefined && y.label === undefined ? plotFrame : namedFrame;
  const beside = y.isNames
    ? widestOf(nameTicks(y, Infinity)) + (y.label === undefined ? gap : rowHeight + gap)
    : y.label === undefined
      ? 0
      : widestOf(labelTicks(y, Infinity, "y")) + rowHeight + gap / 2;
  const left = Math.max(usual.left, beside) + (linesOf(y.label ?? "").length - 1) * nameLine;
  if (!x.isNames) return { ...usual, left };
  const labels = labelTicks(x, width - left - usual.right, "x");
  if (!labels[0]?.isSlanted) return { ...usual, left };
  const halfShare = shareOf(x, width - left - usual.right) / 2;
  return {
    ...usual,
    bottom: usual.bottom + Math.ceil(widestOf(labels) * Math.sin(slant)),
    left: Math.ceil(Math.max(left, widthOf(labels[0].text) * Math.cos(slant) + gap / 2 - halfShare)),
  };
}

export type LabelledTick = { value: number; text: string; isSlanted?: boolean };

/** Minimum distance in pixels between tick labels: `rowHeight` on the y-axis, `gap` on the x-axis. */
const rowHeight = 22;
const gap = 12;
/** Maximum letters per line of an axis title, and height in pixels of such a line. */
const maxNameLetters = 32;
export const nameLine = 14;

/** Splits an axis title that is too long for one line into two, at the space nearest to the middle. */
export function linesOf(name: string): string[] {
  if (name.length <= maxNameLetters) return [name];
  const spaces = [...name.matchAll(/ /g)].map(({ index }) => index);
  const fromMiddle = (at: number) => Math.abs(at - name.length / 2);
  const [at] = spaces.toSorted((a, b) => fromMiddle(a) - fromMiddle(b));
  return at === undefined ? [name] : [name.slice(0, at), name.slice(at + 1)];
}

/** Width of a letter or digit, in units of the font size. */
const letterWidth = 0.6;
/** Maximum letters of a category name used as tick label; further letters are cut. */
const maxLetters = 18;
/** Angle in radians at which category names are drawn if they do not fit side by side. */
export const slant = (40 / 180) * Math.PI;

export function widthOf(text: string): number {
  return letterWidth * labelSize * text.length;
}

/** Returns the labelled ticks of an axis of this length: all categories, else as many equally spaced ticks as fit. */
export function labelTicks(axis: FigureAxis, lengthPixels: number, direction: "x" | "y"): LabelledTick[] {
  const { domain, format = formatTick, scale = "linear", isNames = false } = axis;
  const ticks = (axis.ticks ?? linearTicks(...domain)).filter(isWithin(domain));
  if (isNames) return nameTicks(axis, direction === "y" ? Infinity : shareOf(axis, lengthPixels));
  const widest = ticks.reduce((most, tick) => Math.max(most, widthOf(format(tick))), 0);
  const room = direction === "y" ? rowHeight : widest + gap;
  const most = Math.max(2, Math.floor(lengthPixels / room));
  return thinTicks(ticks, most, scale).map((value) => ({ value, text: format(value) }));
}

function nameTicks({ domain, ticks = [], format = formatTick }: FigureAxis, pixelsEach: number): LabelledTick[] {
  const names = ticks.filter(isWithin(domain)).map((value) => ({ value, text: format(value) }));
  if (widestOf(names) <= pixelsEach - gap / 2 && pixelsEach < Infinity) return names;
  const cut = names.map(({ value, text }) => ({
    value,
    text: shorten(text, maxLetters),
  }));
  return pixelsEach === Infinity ? cut : cut.map((label) => ({ ...label, isSlanted: true }));
}

/** Returns the pixels available for each category of an axis with categories. */
function shareOf({ domain: [from, to] }: FigureAxis, lengthPixels: number): number {
  return lengthPixels / Math.max(1, to - from);
}

function widestOf(labels: readonly LabelledTick[]): number {
  return labels.reduce((most, { text }) => Math.max(most, widthOf(text)), 0);
}

/** Returns the smallest range between rounded tick values that contains all values. */
export function fitDomain(values: readonly number[]): [number, number] {
  const ticks = linearTicks(Math.min(...values), Math.max(...values));
  return [ticks[0] ?? 0, ticks.at(-1) ?? 1];
}

/** Converts a value to its position along an axis: 0 at the start, 1 at the end. */
export function toFraction(value: number, [from, to]: readonly [number, number], scale: "linear" | "log"): number {
  if (from === to) return 0;
  if (scale === "linear") return (value - from) / (to - from);
  return Math.log(value / from) / Math.log(to / from);
}

function isWithin([low, high]: readonly [number, number]): (tick: number) => boolean {
  const slack = 1e-9 * (high - low);
  return (tick) => tick >= low - slack && tick <= high + slack;
}

export type YAxisModel = {
  scale: "linear" | "log";
  domain: [number, number];
  ticks: { value: number; text: string }[];
};

/** Returns the reader's limits, else a range of all values: outliers stay visible, because they may be a collapse. */
export function prepareYAxis(
  points: readonly Point[],
  { limits, ...wanted }: Wanted & { limits?: Limits | undefined },
): YAxisModel {
  const fitted = fitYAxis(points, wanted);
  const ticks = limits === undefined ? fitted.ticks : within(limits, fitted);
  return {
    scale: fitted.scale,
    domain: [ticks[0] ?? 0, ticks.at(-1) ?? 1],
    ticks: ticks.map((value) => ({ value, text: writeTick(value, wanted) })),
  };
}

type Wanted = {
  /** Lower and upper edges of the drawn bands or interval whiskers. */
  edges: readonly { low: number | null; high: number | null }[];
  isLog: boolean;
  unit: Metric["unit"];
};

/** Returns ticks between the reader's limits. A missing limit, or an upper one not above the lower, is fitted. */
function within({ low, high }: Limits, { scale, ticks: fitted }: FittedAxis): number[] {
  const isLog = scale === "log";
  const domain = [fitted[0] ?? 0, fitted.at(-1) ?? 1] as const;
  const from = low !== null && (!isLog || low > 0) ? low : Math.min(domain[0], high ?? domain[0]);
  const least = isLog ? from * 10 : from + Math.max(1e-9, Math.abs(from)) * 0.1;
  const to = high !== null && high > from ? high : domain[1] > from ? domain[1] : least;
  const ticks = isLog ? logTicks(from, to) : linearTicks(from, to);
  return [from, ...ticks.filter((tick) => tick > from && tick < to), to];
}

type FittedAxis = { scale: YAxisModel["scale"]; ticks: readonly number[] };

function fitYAxis(points: readonly Point[], { edges, isLog, unit }: Wanted): FittedAxis {
  // If no line is negative, the axis starts at 0 or above, and a band that extends below 0 is cut at 0.
  const floor = points.every((point) => point.y >= 0) ? 0 : Number.NEGATIVE_INFINITY;
  const ends = edges.flatMap(({ low, high }) => (low === null || high === null ? [] : [Math.max(floor, low), high]));
  const values = [...points.map((point) => point.y), ...ends];
  const drawable = isLog ? values.filter((value) => value > 0) : values;
  const min = drawable.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const max = drawable.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  if (!Number.isFinite(min)) return isLog ? { scale: "log", ticks: [0.1, 1] } : { scale: "linear", ticks: [0, 1] };
  if (isLog) return { scale: "log", ticks: logTicks(min, max) };
  const isRate = unit === "fraction";
  return { scale: "linear", ticks: isRate ? linearTicks(0, Math.min(1, Math.max(max, 0.01))) : linearTicks(min, max) };
}
