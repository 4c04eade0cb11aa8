import { split } from "#trainer/spec/rng.ts";
import type { Interval } from "./rates.ts";
import { mean, quantiles, std } from "./summary.ts";

export type BootstrapOptions = { seed?: number; numResamples?: number; level?: number };

export type Bootstrap = {
  estimate: number;
  /** Percentile interval; of exact resamples the limit that ever more sampled ones come to. */
  interval: Interval;
  standardError: number;
  numResamples: number;
  /** Exact: every resample was visited once, because there are no more than were asked for. */
  method: "exact" | "sampled";
};

/**
 * Stratified bootstrap (rliable, arXiv:2108.13264): units are drawn with replacement within each stratum. A unit is what
 * is independent: a seed's score where every task has seeds of its own (a task is a stratum), a seed's row of scores
 * where one run yields all tasks (one stratum). Episodes never are.
 * With n below 10 in a single stratum the interval is too short (75 % instead of 95 % at n = 3): take the t interval.
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

/** `bootstrap` of several statistics on the same resamples, which are drawn once. Always as many, in the same order. */
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

/** The interval that a statistic of these resamples gives. */
export function resampledInterval(replicates: Float64Array, method: Bootstrap["method"], level: number): Interval {
  return method === "exact" ? limitInterval(replicates, level) : percentileInterval(replicates, level);
}

export function percentileInterval(replicates: ArrayLike<number>, level: number): Interval {
  const [low = NaN, high = NaN] = quantiles(replicates, [(1 - level) / 2, (1 + level) / 2]);
  return { low, high };
}

/**
 * Quantiles of a whole distribution do not lie between its values. Reading 27 resamples like a sample of 27 would cut
 * the interval: it covered 68 % instead of 75 % of means of three normal values.
 */
function limitInterval(replicates: Float64Array, level: number): Interval {
  const sorted = replicates.toSorted();
  const at = (p: number): number => sorted[Math.ceil(p * sorted.length - 1e-9) - 1] ?? NaN;
  return { low: at((1 - level) / 2), high: at((1 + level) / 2) };
}

export type Resamples<Unit> = {
  /** Each draw is valid until the next one: the arrays are used again. */
  draws: Iterable<readonly (readonly Unit[])[]>;
  numResamples: number;
  method: Bootstrap["method"];
};

/** The resamples behind `bootstrap`, for statistics that are more than one number. */
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
    // The digits of the code, each in the base of its stratum, say which unit stands at each place.
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
  for (let i = 0; i < from.length; i++) {
    const unit = from[pick()];
    if (into && unit !== undefined) into[i] = unit;
  }
}

function populationStd(values: Float64Array): number {
  const centre = mean(Array.from(values));
  return Math.sqrt(values.reduce((sum, x) => sum + (x - centre) ** 2, 0) / values.length);
}
