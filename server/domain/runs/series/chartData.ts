import type { NonFiniteMark } from "#packages/statistics";
import type { Metric } from "#trainer/spec/metric.ts";

/** Columns of equal length with finite numbers only. A missing point is a gap; other values are only in `nonFinite`. */
export type Chart = {
  key: string;
  bands: ChartBand[];
  lines: ChartLine[];
  nonFinite: RunMark[];
  /** Non-finite values that `nonFinite` does not list. */
  numUnlisted: number;
};

export type RunMark = NonFiniteMark & { runId: string };

export type Stretch = {
  iterations: number[];
  /** Iterations before a missing or non-finite point, or where a seed begins or ends. */
  breaks: number[];
  /** Usual distance of points, in iterations, before downsampling; a larger distance is a gap. */
  cadence: number;
  /** Number of points before downsampling. */
  numPoints: number;
  /** Points that a logarithmic axis cannot show. */
  numNotPositive: number;
};

/** Iteration at which a seed begins to contribute to a mean of other seeds, or ends. */
export type SeedEdge = { runId: string; kind: "begins" | "ends"; iteration: number };

export type ChartBand = Stretch & {
  cellId: number;
  values: number[];
  /** Null if there are too few seeds for a band. */
  lows: (number | null)[];
  highs: (number | null)[];
  /** Number of seeds behind each value: those whose range of iterations contains this iteration. */
  counts: number[];
  /** Number of seeds with a finite logged value at each iteration; values of other seeds are interpolated. */
  measured: number[];
  edges: SeedEdge[];
};

export type ChartLine = Stretch & { runId: string; values: number[] };

/**
 * Update of a chart. A line that `isWhole` replaces the previous one; another is merged by iteration, from the last
 * unchanged point.
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
 * Summaries over seeds with bands. `std`: mean ± sample standard deviation. `interval`: mean, 95 % t interval. `iqm`:
 * interquartile mean, 95 % bootstrap interval. `median`: with quartiles.
 */
export const aggregates = ["std", "interval", "iqm", "median"] as const;
export type Aggregate = (typeof aggregates)[number];

/** X-axes of charts. All axes except the iteration are cumulative sums of logged values. */
export const xAxes = ["iteration", "step", "tokens", "episodes", "time"] as const;
export type XAxis = (typeof xAxes)[number];
export type SummedAxis = Exclude<XAxis, "iteration">;

/**
 * `about`: metric without an entry in the catalogue. `ofRun`: lines are parts of one run, whose alarms and restarts
 * belong to no single line.
 */
export type DescribedChart = Chart & { about?: Metric; ofRun?: string };
