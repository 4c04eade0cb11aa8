import {
  type Curve,
  evidenceRules,
  halfWidthOf,
  interquartileMean,
  makeMeanBootstrap,
  nameSeeds,
  quantiles,
} from "#packages/statistics";
import type { Aggregate } from "./chartData.ts";
import { type AlignedSeeds, alignSeeds, groupSeeds, makeSorter } from "./alignSeeds.ts";

export type Edges = { low: number; high: number };

/** Arrays have shape (N,), with NaN where there is no value. */
export type SeedSummary = Pick<AlignedSeeds, "iterations" | "measured" | "ranges" | "breaks"> & {
  values: Float64Array;
  /** Number of seeds behind each value, logged or interpolated. */
  n: Int32Array;
  /** Spikes that downsampling preserves: the curve, and the band's bounds if known at every iteration. */
  extremes: readonly Float64Array[];
  /** Bounds of the band at a grid index; null with too few seeds (fewer than two, or three for an interval). */
  edgesAt: (index: number) => Edges | null;
};

const level = 0.95;

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
 * @param factorOf half-width of the band for n seeds, in standard deviations
 * @param fewest minimum number of seeds for a band
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

/** A bootstrap per iteration is expensive, so it is computed only at drawn points, after downsampling. */
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

/** Maximum number of bands drawn in a chart; with more lines, only the last points have error bars. */
export const maxBands = 6;

/** Summary over seeds that a chart shows; "mean" has no band. */
export type Over = Aggregate | "mean";

export const overWords: Record<Over, { curve: string; band: string; label: string }> = {
  interval: { curve: "mean", band: "95 % CI", label: "Mean [95 % CI]" },
  std: { curve: "mean", band: "± sd", label: "Mean ± sd" },
  iqm: { curve: "interquartile mean", band: "95 % bootstrap", label: "IQM, 95 % bootstrap" },
  median: { curve: "median", band: "quartiles", label: "Median and quartiles" },
  mean: { curve: "mean", band: "", label: "Mean only" },
};

type Drawn = { counts: readonly number[]; measured: readonly number[] };

/** Describes "mean [95 % CI] over 3–5 seeds, interpolated"; undefined if nothing was logged. */
export function nameBand(bands: readonly Drawn[], over: Over): string | undefined {
  let [fewest, most] = [Infinity, 0];
  for (const { counts } of bands) {
    for (const count of counts) [fewest, most] = [Math.min(fewest, count), Math.max(most, count)];
  }
  if (most === 0) return undefined;
  const { curve, band } = overWords[over];
  const seeds = nameSeeds({ fewest, most });
  if (most === 1) return seeds;
  const hasBand = band !== "" && (over !== "interval" || most >= evidenceRules.forIntervals);
  // The missing interval is explained, because readers expect one as in every other chart.
  const why = band !== "" && !hasBand ? `, no interval (needs ${evidenceRules.forIntervals} seeds)` : "";
  const drawn = hasBand ? ` [${band}${bands.length > maxBands ? " at the last point" : ""}]` : "";
  return `${curve}${drawn} over ${seeds}${why}${bands.some(isInterpolated) ? ", interpolated" : ""}`;
}

export function isInterpolated({ counts, measured }: Drawn): boolean {
  return counts.some((count, i) => (measured[i] ?? count) < count);
}
