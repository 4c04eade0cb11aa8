import type { NonFiniteMark } from "#packages/statistics";
import type { Metric } from "#trainer/spec/metric.ts";

/**
 * Data of a chart as sent to the browser: columns of equal length with finite numbers only. A missing point is a gap;
 * NaN and infinite values are only in `nonFinite`.
 */
export type Chart = {
  key: string;
  bands: ChartBand[];
  lines: ChartLine[];
  nonFinite: RunMark[];
  /** Number of non-finite values that `nonFinite` does not list. */
  numUnlisted: number;
};

export type RunMark = NonFiniteMark & { runId: string };

/** Fields that a chart's bands and lines share. */
export type Stretch = {
  iterations: number[];
  /**
   * Iterations after which the line is interrupted: the next point is missing or non-finite, or a seed begins or ends.
   */
  breaks: number[];
  /** Usual distance between two points, in iterations, before downsampling; a larger distance is a gap. */
  cadence: number;
  /** Number of points before downsampling. */
  numPoints: number;
  /** Number of points at or below zero, which a logarithmic axis cannot show. */
  numNotPositive: number;
};

/** Iteration at which a seed begins to contribute to a mean of other seeds, or ends. */
export type SeedEdge = { runId: string; kind: "begins" | "ends"; iteration: number };

/** Curve that summarises the seeds of one configuration, with its band. */
export type ChartBand = Stretch & {
  cellId: number;
  /** Mean, interquartile mean or median over seeds at each iteration, as requested. */
  values: number[];
  /** Lower bounds of the requested band at each iteration; null if there are too few seeds for a band. */
  lows: (number | null)[];
  highs: (number | null)[];
  /** Number of seeds behind each value: those whose range of iterations contains this iteration. */
  counts: number[];
  /** Number of seeds with a finite logged value at each iteration; values of other seeds are interpolated. */
  measured: number[];
  /** Iterations at which seeds begin later or end earlier than others. */
  edges: SeedEdge[];
};

export type ChartLine = Stretch & { runId: string; values: number[] };

/**
 * Update of one metric's chart. A line that `isWhole` replaces the previous line. Any other line is the part from the
 * last unchanged point to the newest point, which is merged by iteration.
 */
export type ChartDelta = {
  key: string;
  bands: (ChartBand & { isWhole: boolean })[];
  lines: (ChartLine & { isWhole: boolean })[];
  nonFinite: RunMark[];
  /** Ids of restarted runs, whose earlier non-finite marks are discarded. */
  restarted: string[];
};

/**
 * Summaries over the seeds of a configuration, each with its band. `std`: mean ± sample standard deviation. `interval`:
 * mean ± half-width of the 95 % t interval. `iqm`: interquartile mean, 95 % bootstrap percentile interval. `median`:
 * median with quartiles.
 */
export const aggregates = ["std", "interval", "iqm", "median"] as const;
export type Aggregate = (typeof aggregates)[number];

/** X-axes of charts. All axes except the iteration are cumulative sums of logged values. */
export const xAxes = ["iteration", "step", "tokens", "episodes", "time"] as const;
export type XAxis = (typeof xAxes)[number];
export type SummedAxis = Exclude<XAxis, "iteration">;

/**
 * A chart that describes its own metric, if the catalogue has no entry. `ofRun`: its lines are parts of one run, whose
 * alarms and restarts belong to no single line.
 */
export type DescribedChart = Chart & { about?: Metric; ofRun?: string };
