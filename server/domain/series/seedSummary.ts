import { evidenceRules } from "#server/domain/statistics/evidence.ts";
import { interquartileMean, quantiles } from "#server/domain/statistics/summary.ts";
import { makeMeanBootstrap } from "#server/domain/statistics/trimmedBootstrap.ts";
import { halfWidthOf } from "#server/domain/statistics/studentT.ts";
import type { Aggregate } from "./aggregate.ts";
import { gatherSorted, groupByIteration, type Group } from "./group.ts";
import type { Curve } from "./series.ts";

export type Edges = { low: number; high: number };

/** Seeds as one curve over iterations; columns (N,), NaN where there is no finite value. */
export type SeedSummary = {
  iterations: Int32Array;
  values: Float64Array;
  /** Seeds with a finite value. */
  n: Int32Array;
  /** Columns whose spikes a reduction keeps: the curve, and the band's edges where they are known everywhere. */
  extremes: readonly Float64Array[];
  /** Edges of the band at an index; null where seeds are too few for one: fewer than two, for an interval than three. */
  edgesAt: (index: number) => Edges | null;
};

const level = 0.95;

/** Seeds by iteration: nothing is interpolated, a seed counts only where it has a finite value. */
export function summariseSeeds(curves: readonly Curve[], aggregate: Aggregate): SeedSummary {
  const group = groupByIteration(curves);
  switch (aggregate) {
    case "std":
      return aroundMean(group, () => 1);
    case "interval":
      return aroundMean(group, (n) => halfWidthOf(n, 1 / Math.sqrt(n), level), evidenceRules.forIntervals);
    case "iqm":
      return withBootstrap(group, gatherSorted(curves, group));
    case "median":
      return withQuartiles(group, gatherSorted(curves, group));
  }
}

/**
 * @param factorOf half-width of the band in standard deviations, of n seeds
 * @param fewest seeds that have a band
 */
function aroundMean({ iterations, mean, std, n }: Group, factorOf: (n: number) => number, fewest = 2): SeedSummary {
  const factors = new Map([...new Set(n)].map((count) => [count, count < fewest ? NaN : factorOf(count)]));
  const halves = std.map((x, i) => x * (factors.get(n[i] ?? 0) ?? NaN));
  const low = mean.map((x, i) => x - finiteOr0(halves[i]));
  const high = mean.map((x, i) => x + finiteOr0(halves[i]));
  const edgesAt = (i: number) => (Number.isFinite(halves[i]) ? { low: low[i] ?? NaN, high: high[i] ?? NaN } : null);
  return { iterations, values: mean, n, extremes: [mean, low, high], edgesAt };
}

function withQuartiles({ iterations, n }: Group, sortedAt: (index: number) => Float64Array): SeedSummary {
  const columns = [0.25, 0.5, 0.75].map(() => new Float64Array(iterations.length).fill(NaN));
  const [low = new Float64Array(), values = new Float64Array(), high = new Float64Array()] = columns;
  for (let i = 0; i < iterations.length; i++) {
    const [first = NaN, second = NaN, third = NaN] = quantiles(sortedAt(i), [0.25, 0.5, 0.75]);
    low[i] = first;
    values[i] = second;
    high[i] = third;
  }
  const edgesAt = (i: number) => ((n[i] ?? 0) < 2 ? null : { low: low[i] ?? NaN, high: high[i] ?? NaN });
  return { iterations, values, n, extremes: columns, edgesAt };
}

/** A bootstrap an iteration is dear: it is made where the curve is drawn, after the reduction. */
function withBootstrap({ iterations, n }: Group, sortedAt: (index: number) => Float64Array): SeedSummary {
  const values = Float64Array.from(iterations, (_, i) => interquartileMean(sortedAt(i)));
  const bootstrap = makeMeanBootstrap(level);
  const edgesAt = (i: number) => ((n[i] ?? 0) < 2 ? null : bootstrap(sortedAt(i)));
  return { iterations, values, n, extremes: [values], edgesAt };
}

function finiteOr0(x: number | undefined): number {
  return x !== undefined && Number.isFinite(x) ? x : 0;
}
