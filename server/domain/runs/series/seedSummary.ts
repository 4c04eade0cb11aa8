import {
  evidenceRules,
  interquartileMean,
  quantiles,
  makeMeanBootstrap,
  halfWidthOf,
  type Curve,
} from "#packages/statistics";
import type { Aggregate } from "./aggregate.ts";
import { alignSeeds, type AlignedSeeds } from "./alignSeeds.ts";
import { groupSeeds, makeSorter } from "./groupSeeds.ts";

export type Edges = { low: number; high: number };

/** Seeds summarised as one curve over iterations; columns (N,), NaN without a value. */
export type SeedSummary = Pick<AlignedSeeds, "iterations" | "measured" | "ranges" | "breaks"> & {
  values: Float64Array;
  /** Number of seeds in the value, logged or interpolated. */
  n: Int32Array;
  /** Columns whose spikes the reduction keeps: the curve, and the band's edges if they are known everywhere. */
  extremes: readonly Float64Array[];
  /** Edges of the band at an index; null with too few seeds: fewer than two, or three for an interval. */
  edgesAt: (index: number) => Edges | null;
};

const level = 0.95;

/** Summary of aligned seeds (`alignSeeds`) by iteration. */
export function summariseSeeds(curves: readonly Curve[], aggregate: Aggregate): SeedSummary {
  const { columns, ...aligned } = alignSeeds(curves);
  return { ...aligned, ...summarise({ ...aligned, columns }, aggregate) };
}

type Summary = Omit<SeedSummary, keyof Omit<AlignedSeeds, "columns">>;

function summarise(aligned: AlignedSeeds, aggregate: Aggregate): Summary {
  switch (aggregate) {
    case "std":
      return aroundMean(aligned, () => 1);
    case "interval":
      return aroundMean(aligned, (n) => halfWidthOf(n, 1 / Math.sqrt(n), level), evidenceRules.forIntervals);
    case "iqm":
      return withBootstrap(aligned);
    case "median":
      return withQuartiles(aligned);
  }
}

/**
 * @param factorOf half-width of the band in standard deviations, for n seeds @param fewest minimum number of seeds for
 * a band
 */
function aroundMean(aligned: AlignedSeeds, factorOf: (n: number) => number, fewest = 2): Summary {
  const { mean, sd, n } = groupSeeds(aligned);
  const factors = new Map([...new Set(n)].map((count) => [count, count < fewest ? NaN : factorOf(count)]));
  const halves = sd.map((x, i) => x * (factors.get(n[i] ?? 0) ?? NaN));
  const low = mean.map((x, i) => x - finiteOr0(halves[i]));
  const high = mean.map((x, i) => x + finiteOr0(halves[i]));
  const edgesAt = (i: number) => (Number.isFinite(halves[i]) ? { low: low[i] ?? NaN, high: high[i] ?? NaN } : null);
  return { values: mean, n, extremes: [mean, low, high], edgesAt };
}

function withQuartiles({ iterations, columns }: AlignedSeeds): Summary {
  const n = new Int32Array(iterations.length);
  const edges = [0.25, 0.5, 0.75].map(() => new Float64Array(iterations.length).fill(NaN));
  const [low = new Float64Array(), values = new Float64Array(), high = new Float64Array()] = edges;
  const sortedAt = makeSorter(columns);
  for (let i = 0; i < iterations.length; i++) {
    const sorted = sortedAt(i);
    n[i] = sorted.length;
    [low[i] = NaN, values[i] = NaN, high[i] = NaN] = quantiles(sorted, [0.25, 0.5, 0.75]);
  }
  const edgesAt = (i: number) => ((n[i] ?? 0) < 2 ? null : { low: low[i] ?? NaN, high: high[i] ?? NaN });
  return { values, n, extremes: edges, edgesAt };
}

/** A bootstrap per iteration is expensive, so it runs only at drawn points, after the reduction. */
function withBootstrap({ iterations, columns }: AlignedSeeds): Summary {
  const n = new Int32Array(iterations.length);
  const values = new Float64Array(iterations.length);
  const sortedAt = makeSorter(columns);
  for (let i = 0; i < iterations.length; i++) {
    const sorted = sortedAt(i);
    n[i] = sorted.length;
    values[i] = interquartileMean(sorted);
  }
  const bootstrap = makeMeanBootstrap(level);
  const edgesAt = (i: number) => ((n[i] ?? 0) < 2 ? null : bootstrap(sortedAt(i)));
  return { values, n, extremes: [values], edgesAt };
}

function finiteOr0(x: number | undefined): number {
  return x !== undefined && Number.isFinite(x) ? x : 0;
}
