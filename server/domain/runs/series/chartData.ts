import type { NonFiniteMark } from "#packages/statistics";
import type { Metric } from "#trainer/spec/metric.ts";

/**
 * Data of a chart as sent to the browser: columns of equal length with finite numbers only. A missing step is a gap;
 * NaN and infinite values are only in `nonFinite`.
 */
export type Chart = {
  key: string;
  bands: ChartBand[];
  lines: ChartLine[];
  nonFinite: RunMark[];
  /** Number of non-finite values that are not listed. */
  numUnlisted: number;
};

export type RunMark = NonFiniteMark & { runId: string };

/** Fields that bands and lines have in common. */
export type Stretch = {
  iterations: number[];
  /**
   * Iterations after which the line is interrupted: the next step is missing or non-finite, or a seed begins or ends.
   */
  breaks: number[];
  /** Usual distance between two points in iterations, before the reduction; a larger distance is a gap. */
  cadence: number;
  /** Number of points before the reduction. */
  numPoints: number;
  /** Number of points at or below zero, which a logarithmic axis cannot show. */
  numNotPositive: number;
};

/** Iteration at which a seed enters or leaves a mean that other seeds form before or after it. */
export type SeedEdge = { runId: string; kind: "begins" | "ends"; iteration: number };

/** Summary of one configuration over its seeds. */
export type ChartBand = Stretch & {
  cellId: number;
  /** Mean, interquartile mean or median over seeds, as requested. */
  values: number[];
  /** Bounds of the requested band; null if a single seed has none. */
  lows: (number | null)[];
  highs: (number | null)[];
  /** Number of seeds in the value: those whose range contains this iteration. */
  counts: number[];
  /** Number of those seeds with a finite logged value here; the others are interpolated. */
  measured: number[];
  /** Iterations at which seeds begin late or end early. */
  edges: SeedEdge[];
};

export type ChartLine = Stretch & { runId: string; values: number[] };

/**
 * Update of one metric. A complete line replaces the old one. Any other line is the part from the last unchanged point
 * to the newest, to be merged by iteration.
 */
export type ChartDelta = {
  key: string;
  bands: (ChartBand & { isWhole: boolean })[];
  lines: (ChartLine & { isWhole: boolean })[];
  nonFinite: RunMark[];
  /** Restarted runs, whose earlier non-finite marks are discarded. */
  restarted: string[];
};

/**
 * Summaries over the seeds of a configuration, each with its band. Mean ± sample standard deviation; mean ± half-width
 * of the 95 % t interval; interquartile mean with a 95 % bootstrap percentile interval; median with quartiles.
 */
export const aggregates = ["std", "interval", "iqm", "median"] as const;
export type Aggregate = (typeof aggregates)[number];

/** X-axes of charts. All except the iteration are cumulative sums of logged values. */
export const xAxes = ["iteration", "step", "tokens", "episodes", "time"] as const;
export type XAxis = (typeof xAxes)[number];
export type SummedAxis = Exclude<XAxis, "iteration">;

/**
 * A chart that describes its metric itself, if the catalogue has no entry. `ofRun`: its lines are parts of one run,
 * whose alarms and restarts belong to none of them.
 */
export type DescribedChart = Chart & { about?: Metric; ofRun?: string };
