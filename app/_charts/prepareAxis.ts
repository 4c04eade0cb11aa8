import type { Metric } from "#trainer/spec/metric.ts";
import type { Limits } from "./limits.ts";
import { formatTick } from "./format.ts";
import type { Point } from "./segments.ts";
import { linearTicks, logTicks } from "#server/domain/runs/series/ticks.ts";

export type YAxisModel = {
  scale: "linear" | "log";
  domain: [number, number];
  ticks: { value: number; text: string }[];
};

/**
 * The y-axis covers all lines and bands. No outlier is left out, because it may be the collapse that the reader looks for. The axis of a rate begins
 * at 0 and ends at max. 1, also where mean + deviation is above 1.
 */
export function prepareYAxis(
  points: readonly Point[],
  { limits, ...wanted }: Wanted & { limits?: Limits | undefined },
): YAxisModel {
  const fitted = fitYAxis(points, wanted);
  return limits === undefined ? fitted : toAxis(fitted.scale, within(limits, fitted));
}

type Wanted = {
  /** Points whose bands or whiskers are drawn. */
  edges: readonly { low: number | null; high: number | null }[];
  isLog: boolean;
  unit: Metric["unit"];
};

/** The axis between limits that the reader chose; both limits are ticks. An upper limit that is not above the lower is raised. */
function within({ low, high }: Limits, { scale, domain }: YAxisModel): number[] {
  const isLog = scale === "log";
  const from = low !== null && (!isLog || low > 0) ? low : Math.min(domain[0], high ?? domain[0]);
  const least = isLog ? from * 10 : from + Math.max(1e-9, Math.abs(from)) * 0.1;
  const to = high !== null && high > from ? high : domain[1] > from ? domain[1] : least;
  const ticks = isLog ? logTicks(from, to) : linearTicks(from, to);
  return [from, ...ticks.filter((tick) => tick > from && tick < to), to];
}

function fitYAxis(points: readonly Point[], { edges, isLog, unit }: Wanted): YAxisModel {
  // If no line is negative, the axis starts at 0 or above. A band below 0 is cut there.
  const floor = points.every((point) => point.y >= 0) ? 0 : Number.NEGATIVE_INFINITY;
  const ends = edges.flatMap(({ low, high }) => (low === null || high === null ? [] : [Math.max(floor, low), high]));
  const values = [...points.map((point) => point.y), ...ends];
  const drawable = isLog ? values.filter((value) => value > 0) : values;
  const min = drawable.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const max = drawable.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  if (!Number.isFinite(min)) return toAxis(isLog ? "log" : "linear", isLog ? [0.1, 1] : [0, 1]);
  if (isLog) return toAxis("log", logTicks(min, max));
  if (unit === "fraction") return toAxis("linear", linearTicks(0, Math.min(1, Math.max(max, 0.01))));
  return toAxis("linear", linearTicks(min, max));
}

function toAxis(scale: YAxisModel["scale"], ticks: readonly number[]): YAxisModel {
  return {
    scale,
    domain: [ticks[0] ?? 0, ticks.at(-1) ?? 1],
    ticks: ticks.map((value) => ({ value, text: formatTick(value) })),
  };
}
