import { split } from "#trainer/spec/rng.ts";
import type { Interval } from "./rates.ts";
import { mean, quantiles, std } from "./summary.ts";

export type BootstrapOptions = { seed?: number; numResamples?: number; level?: number };

export type Bootstrap = {
  estimate: number;
  /** Percentile interval; if `method` is `exact`, its limit for infinitely many sampled resamples. */
  interval: Interval;
  standardError: number;
  numResamples: number;
  /** `exact`: all possible resamples, if there are no more than requested. `sampled`: as many as requested. */
  method: "exact" | "sampled";
};

/**
 * Stratified bootstrap (rliable, arXiv:2108.13264): units are resampled with replacement within each stratum. A unit is
 * an independent observation, never an episode. If each task has its own seeds, a unit is a seed's score and a stratum
 * is a task. If one run covers all tasks, a unit is a seed's scores on all tasks, and there is one stratum. With fewer
 * than 10 units in a single stratum the interval is too narrow (75 % instead of 95 % coverage at n = 3); use the t
 * interval there.
 */
export function bootstrap<Unit>(
  strata: readonly (readonly Unit[])[],
  statistic: (strata: readonly (readonly Unit[])[]) => number,
  options: BootstrapOptions = {},
): Bootstrap {
  const [only] = bootstrapAll(strata, (drawn) => [statistic(drawn)], options);
  if (!only) throw new Error("one statistic gives one bootstrap");
  return only;
}

/** Applies `bootstrap` to several statistics on the same resamples; their number and order must not vary. */
export function bootstrapAll<Unit>(
  strata: readonly (readonly Unit[])[],
  statistics: (strata: readonly (readonly Unit[])[]) => readonly number[],
  options: BootstrapOptions = {},
): Bootstrap[] {
  const { level = 0.95 } = options;
  const estimates = statistics(strata);
  const { draws, numResamples, method } = resample(strata, options);
  const replicates = estimates.map(() => new Float64Array(numResamples));
  let i = 0;
  for (const draw of draws) {
    for (const [s, value] of statistics(draw).entries()) {
      const replicate = replicates[s];
      if (replicate) replicate[i] = value;
    }
    i += 1;
  }
  return replicates.map((replicate, s) => ({
    estimate: estimates[s] ?? NaN,
    interval: resampledInterval(replicate, method, level),
    standardError: method === "exact" ? populationStd(replicate) : std(Array.from(replicate)),
    numResamples,
    method,
  }));
}

export function resampledInterval(replicates: Float64Array, method: Bootstrap["method"], level: number): Interval {
  return method === "exact" ? limitInterval(replicates, level) : percentileInterval(replicates, level);
}

export function percentileInterval(replicates: ArrayLike<number>, level: number): Interval {
  const [low = NaN, high = NaN] = quantiles(replicates, [(1 - level) / 2, (1 + level) / 2]);
  return { low, high };
}

/**
 * Returns quantiles of a complete discrete distribution, without interpolation between its values. Interpolating
 * between 27 exact resamples, as if they were a sample, would narrow the interval: 68 % instead of 75 % coverage for
 * means of three normal values.
 */
function limitInterval(replicates: Float64Array, level: number): Interval {
  const sorted = replicates.toSorted();
  const at = (p: number): number => sorted[Math.ceil(p * sorted.length - 1e-9) - 1] ?? NaN;
  return { low: at((1 - level) / 2), high: at((1 + level) / 2) };
}

export type Resamples<Unit> = {
  /** Resampled units by stratum. Each resample is valid only until the next one, because the arrays are reused. */
  draws: Iterable<readonly (readonly Unit[])[]>;
  numResamples: number;
  method: Bootstrap["method"];
};

export function resample<Unit>(
  strata: readonly (readonly Unit[])[],
  { seed = 0, numResamples = 10_000 }: BootstrapOptions,
): Resamples<Unit> {
  const numAll = strata.reduce((product, { length }) => product * length ** length, 1);
  if (numAll <= numResamples) return { draws: enumerate(strata, numAll), numResamples: numAll, method: "exact" };
  return { draws: sample(strata, { seed, numResamples }), numResamples, method: "sampled" };
}

function* sample<Unit>(
  strata: readonly (readonly Unit[])[],
  { seed, numResamples }: Required<Omit<BootstrapOptions, "level">>,
) {
  const rng = split(seed, "bootstrap");
  const draw = strata.map((stratum) => [...stratum]);
  for (let i = 0; i < numResamples; i++) {
    for (const [s, stratum] of strata.entries()) fill(draw[s], stratum, () => rng.int(stratum.length));
    yield draw;
  }
}

function* enumerate<Unit>(strata: readonly (readonly Unit[])[], numAll: number) {
  const draw = strata.map((stratum) => [...stratum]);
  for (let code = 0; code < numAll; code++) {
    // `code` is a mixed-radix number: its digits, in the base of each stratum's size, are the indices of the units.
    let rest = code;
    for (const [s, stratum] of strata.entries()) {
      fill(draw[s], stratum, () => {
        const digit = rest % stratum.length;
        rest = Math.floor(rest / stratum.length);
        return digit;
      });
    }
    yield draw;
  }
}

function fill<Unit>(into: Unit[] | undefined, from: readonly Unit[], pick: () => number): void {
  if (!into) return;
  for (let i = 0; i < from.length; i++) into[i] = from[pick()] as Unit;
}

function populationStd(values: Float64Array): number {
  const centre = mean(Array.from(values));
  return Math.sqrt(values.reduce((sum, x) => sum + (x - centre) ** 2, 0) / values.length);
}

const numResamples = 1000;

/**
 * Makes a function for percentile intervals of the interquartile mean over seeds. It suits many samples with few
 * distinct sizes: the counts of resampled units are drawn once per size, and a resample needs one pass. Results equal
 * `bootstrap` of `interquartileMean` with as many resamples.
 * @returns a function from an ascending sample to its interval
 */
export function makeMeanBootstrap(level = 0.95): (ascending: ArrayLike<number>) => Interval {
  const drawsOf = new Map<number, Draws>();
  return (ascending) => {
    const size = ascending.length;
    const draws = drawsOf.get(size) ?? drawCounts(size);
    drawsOf.set(size, draws);
    const replicates = new Float64Array(draws.counts.length / size);
    for (let r = 0; r < replicates.length; r++) {
      replicates[r] = countedMean(ascending, draws.counts, r * size);
    }
    return resampledInterval(replicates, draws.method, level);
  };
}

type Draws = {
  /** Number of times that each value of a sample is drawn, (R, n): resamples × values in ascending order. */
  counts: Uint16Array;
  method: "exact" | "sampled";
};

function drawCounts(size: number): Draws {
  const places = Array.from({ length: size }, (_, i) => i);
  const resamples = resample([places], { numResamples });
  const counts = new Uint16Array(resamples.numResamples * size);
  let start = 0;
  for (const [drawn = []] of resamples.draws) {
    for (const place of drawn) counts[start + place] = (counts[start + place] ?? 0) + 1;
    start += size;
  }
  return { counts, method: resamples.method };
}

/** Mean without the lowest and highest ⌊n/4⌋ values of a resample; `counts` from `start`: draws of each value. */
function countedMean(ascending: ArrayLike<number>, counts: Uint16Array, start: number): number {
  const size = ascending.length;
  const trimmed = Math.floor(size / 4);
  let [sum, before] = [0, 0];
  for (let i = 0; i < size; i++) {
    const after = before + (counts[start + i] ?? 0);
    const numKept = Math.min(after, size - trimmed) - Math.max(before, trimmed);
    if (numKept > 0) sum += numKept * (ascending[i] ?? NaN);
    before = after;
  }
  return sum / (size - 2 * trimmed);
}

/** 95 % percentile interval of the mean of group means: groups are resampled, then values within each. */
export function twoLevelInterval(
  groups: readonly (readonly number[])[],
  { seed = 0, numResamples = 10_000 }: BootstrapOptions = {},
): Interval {
  const filled = groups.filter(({ length }) => length > 0);
  if (filled.length === 0) return { low: NaN, high: NaN };
  const rng = split(seed, "two levels", filled.length);
  const means = Float64Array.from({ length: numResamples }, () => {
    let sum = 0;
    for (let i = 0; i < filled.length; i++) {
      const group = filled[rng.int(filled.length)] ?? [];
      let within = 0;
      for (let j = 0; j < group.length; j++) within += group[rng.int(group.length)] ?? NaN;
      sum += within / group.length;
    }
    return sum / filled.length;
  });
  return percentileInterval(means, 0.95);
}
