import { bootstrap, type Bootstrap, bootstrapAll, percentileInterval, resample } from "./bootstrap.ts";
import type { PairOptions } from "./comparePair.ts";
import { prepareImprovement } from "./effectSize.ts";
import type { MethodScores, PanelScores } from "./panels.ts";
import type { Interval } from "./rates.ts";
import { meanOverTasks, medianOverTasks, pooledInterquartileMean, pooledOptimalityGap, type Scores } from "./scores.ts";

type Pooled = { value: number; interval: Interval; standardError: number };

export type PooledMethod = {
  method: string;
  numScores: number;
  iqm: Pooled;
  mean: Pooled;
  median: Pooled;
  optimalityGap: Pooled;
  profile: { thresholds: readonly number[]; shares: readonly number[]; intervals: readonly Interval[] };
  /** Probability that a run of the method beats a run of the baseline, averaged over tasks. */
  improvement?: Pooled;
};

export type PooledComparison =
  | {
      kind: "pooled";
      tasks: readonly string[];
      target: number;
      methods: readonly PooledMethod[];
      leftOut: readonly string[];
    }
  | { kind: "none"; reason: string };

/** Minimum number of scores for a bootstrap interval; with fewer scores, it would be too narrow. */
const minScores = 12;

/**
 * Pools the scores of all tasks: interquartile mean with stratified bootstrap, optimality gap, performance profile,
 * probability of improvement. A run with several sub-tasks is resampled as a whole; runs of different environments
 * are independent.
 */
export function comparePooled(
  panels: readonly PanelScores[],
  options: PairOptions & { baseline: string },
): PooledComparison {
  if (options.better === "down") return { kind: "none", reason: "the metric is better when lower" };
  const tasks = tasksOf(panels);
  if (tasks.length < 2) return { kind: "none", reason: "one task only" };
  const target = targetOf(tasks);
  if (target === undefined)
    return { kind: "none", reason: "the tasks' scores are not on one scale (0 to 1, or 0 to 100)" };
  const names = [...new Set(tasks.flatMap(({ methods }) => methods.map(({ method }) => method)))];
  const complete = names.filter((name) => tasks.every((task) => valuesOf(task, name).size > 0));
  const baseline = complete.includes(options.baseline) ? toStrata(tasks, options.baseline) : undefined;
  const methods = complete.map((method): PooledMethod => {
    const strata = toStrata(tasks, method);
    const summary = poolMethod(strata, target, options);
    if (!baseline || method === options.baseline) return { method, ...summary };
    const improvement = poolPair(strata, baseline, options);
    return { method, ...summary, improvement };
  });
  const leftOut = names.filter((name) => !complete.includes(name));
  return { kind: "pooled", tasks: tasks.map(({ env, subtask }) => `${env} (${subtask})`), target, methods, leftOut };
}

/** Scores by stratum of the bootstrap; an inner list has one run's scores on the tasks that it covers. */
type Strata = readonly (readonly (readonly number[])[])[];

function poolMethod(strata: Strata, target: number, options: PairOptions) {
  const numScores = strata.flat(2).length;
  const statistics = (scores: Scores) => [
    pooledInterquartileMean(scores),
    meanOverTasks(scores),
    medianOverTasks(scores),
    pooledOptimalityGap(scores, target),
  ];
  const pooled = bootstrapAll(strata, (drawn) => statistics(toScores(drawn)), options);
  const [iqm = none, meanOfAll = none, medianOfAll = none, gap = none] = pooled.map((statistic) =>
    toPooled(statistic, numScores),
  );
  const thresholds = Array.from({ length: 21 }, (_, i) => (target * i) / 20);
  const profiles = Array.from(
    resample(strata, { ...options, numResamples: Math.min(2000, options.numResamples) }).draws,
    (drawn) => performanceProfile(toScores(drawn), thresholds),
  );
  return {
    numScores,
    iqm,
    mean: meanOfAll,
    median: medianOfAll,
    optimalityGap: gap,
    profile: {
      thresholds,
      shares: performanceProfile(toScores(strata), thresholds),
      intervals: thresholds.map((_, t) =>
        numScores < minScores
          ? { low: NaN, high: NaN }
          : percentileInterval(
              profiles.map((shares) => shares[t] ?? NaN),
              options.level,
            ),
      ),
    },
  };
}

const none: Pooled = { value: NaN, interval: { low: NaN, high: NaN }, standardError: NaN };

function poolPair(strata: Strata, baseline: Strata, options: PairOptions): Pooled {
  const numOwn = strata.length;
  const { rankOf, improvementOf } = prepareImprovement(toScores(strata), toScores(baseline));
  const result = bootstrap(
    [...mapScores(strata, rankOf), ...mapScores(baseline, rankOf)],
    (drawn) => improvementOf(toScores(drawn.slice(0, numOwn)), toScores(drawn.slice(numOwn))),
    options,
  );
  return toPooled(result, Math.min(strata.flat(2).length, baseline.flat(2).length));
}

function toPooled({ estimate, interval, standardError }: Bootstrap, numScores: number): Pooled {
  if (numScores >= minScores) return { value: estimate, interval, standardError };
  return { ...none, value: estimate };
}

function toScores(strata: Strata): Scores {
  return strata.flatMap((rows) => (rows[0] ?? []).map((_, task) => rows.map((row) => row[task] ?? NaN)));
}

/** Replaces every score of all strata. `task` counts tasks over all strata, as in `toScores`. */
function mapScores(strata: Strata, replace: (score: number, task: number) => number): Strata {
  let numBefore = 0;
  return strata.map((rows) => {
    const first = numBefore;
    numBefore += rows[0]?.length ?? 0;
    return rows.map((row) => row.map((score, column) => replace(score, first + column)));
  });
}

/** Panels of whole environments or else of their sub-tasks; using both would count runs twice. */
function tasksOf(panels: readonly PanelScores[]): PanelScores[] {
  const whole = new Set(panels.filter(({ subtask }) => subtask === "all").map(({ env }) => env));
  return panels.filter(({ env, subtask }) => subtask === "all" || !whole.has(env));
}

function targetOf(tasks: readonly PanelScores[]): number | undefined {
  const greatest = tasks.map(({ methods }) => {
    const values = methods.flatMap(({ scores }) => scores.map(({ value }) => value)).filter(Number.isFinite);
    return { low: Math.min(...values), high: Math.max(...values) };
  });
  if (greatest.some(({ low }) => low < 0)) return undefined;
  if (greatest.every(({ high }) => high <= 1)) return 1;
  return greatest.every(({ high }) => high > 1 && high <= 100) ? 100 : undefined;
}

function toStrata(tasks: readonly PanelScores[], method: string): Strata {
  const envs = [...new Set(tasks.map(({ env }) => env))];
  return envs.flatMap((env) => {
    const columns = tasks.filter((task) => task.env === env).map((task) => valuesOf(task, method));
    const [first = new Map<string, number>()] = columns;
    const isWhole = columns.every(
      (column) => column.size === first.size && Array.from(first.keys()).every((seed) => column.has(seed)),
    );
    // If some runs lack a sub-task, runs cannot be resampled as a whole; each sub-task is then a stratum.
    if (!isWhole) return columns.map((column) => Array.from(column.values(), (value) => [value]));
    return [Array.from(first.keys(), (seed) => columns.map((column) => column.get(seed) ?? NaN))];
  });
}

function valuesOf({ methods }: PanelScores, name: string): Map<string, number> {
  const scores: MethodScores["scores"] = methods.find(({ method }) => method === name)?.scores ?? [];
  return new Map(scores.filter(({ value }) => Number.isFinite(value)).map(({ seed, value }) => [seed, value]));
}

/**
 * Performance profile: fraction of runs with a score above each threshold, (T,). Compare whole curves, with crossings.
 */
export function performanceProfile(scores: Scores, thresholds: readonly number[]): number[] {
  const values = scores.flat();
  return thresholds.map((threshold) => values.filter((x) => x > threshold).length / values.length);
}
