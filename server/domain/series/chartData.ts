import type { NonFiniteMark } from "./series.ts";

/**
 * What a chart needs, as it travels: columns of equal length, finite numbers only.
 * A step that is absent from a column is a gap; a value that is NaN or infinite is in `nonFinite` and nowhere else.
 */
export type Chart = {
  key: string;
  bands: ChartBand[];
  lines: ChartLine[];
  nonFinite: RunMark[];
  /** Non-finite values beyond those listed. */
  numUnlisted: number;
};

export type RunMark = NonFiniteMark & { runId: string };

/** What bands and lines have in common. */
export type Stretch = {
  iterations: number[];
  /** Iterations after which the line is interrupted: the next step is missing or not finite, or a seed begins or ends. */
  breaks: number[];
  /** Usual distance of two points, in iterations, before reduction: what is farther apart is a gap. */
  cadence: number;
  /** Points before reduction. */
  numPoints: number;
  /** Those at or below zero, which a logarithmic axis cannot show. */
  numNotPositive: number;
};

/** Where a seed enters or leaves a mean that others were in before or stay in. */
export type SeedEdge = { runId: string; kind: "begins" | "ends"; iteration: number };

/** One configuration over its seeds. */
export type ChartBand = Stretch & {
  cellId: number;
  /** What stands for the seeds: their mean, interquartile mean or median, as was asked for. */
  values: number[];
  /** Edges of the band that was asked for; null where one seed alone gives none. */
  lows: (number | null)[];
  highs: (number | null)[];
  /** Seeds that the value is made of: those between their first and last finite value at this iteration. */
  counts: number[];
  /** Those of them that logged a finite value here; the others are interpolated. */
  measured: number[];
  /** Where its seeds begin late or end early. */
  edges: SeedEdge[];
};

/** One run. */
export type ChartLine = Stretch & { runId: string; values: number[] };

/**
 * News of one metric. A line that is whole replaces the one of before; any other is the stretch from the last point
 * before the news to the newest, complete, to be put in by iteration.
 */
export type ChartDelta = {
  key: string;
  bands: (ChartBand & { isWhole: boolean })[];
  lines: (ChartLine & { isWhole: boolean })[];
  nonFinite: RunMark[];
  /** Runs that began again: what was marked of them before no longer counts. */
  restarted: string[];
};
