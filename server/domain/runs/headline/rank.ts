import type { Metric } from "#trainer/spec/metric.ts";
import {
  compare,
  mean,
  differenceOf,
  spreadOf,
  type Difference,
  type Spread,
  writeDifference,
} from "#packages/statistics";

/** Results of a configuration: one value per seed, NaN for a run without one. */
export type Configuration = {
  cellId: number;
  name: string;
  environment: string;
  values: readonly number[];
  /** Values before training, in the same order of seeds. */
  starts: readonly number[];
};

export type Ranked = Configuration &
  Spread & {
    /** Mean before training of the seeds that have a value; NaN where none was measured. */
    start: number;
  };

export type Ranking = {
  environment: string;
  /** Sorted by mean, best first; configurations without a value are omitted. */
  ranked: Ranked[];
  /** First minus second; undefined with a single configuration. */
  next: Difference | undefined;
  /** True where the first differs from the second by the test below. */
  isApart: boolean;
  /** How many of the others differ from the first (Welch, two-sided, Holm over all of them, below .05); undefined where seeds are too few for a test. */
  numBelow: number | undefined;
};

/**
 * Configurations of one environment in the order of their means. The first is chosen by the data that then tests it: its
 * lead is flattered a little, which Holm's correction over all others more than takes back.
 */
export function rankConfigurations(
  configurations: readonly Configuration[],
  metric: Pick<Metric, "unit" | "better">,
): Ranking[] {
  const { better } = metric;
  const sign = better === "down" ? 1 : -1;
  return [...new Set(configurations.map(({ environment }) => environment))].flatMap((environment) => {
    const ranked = configurations
      .filter((one) => one.environment === environment)
      .map((one) => ({ ...one, ...spreadOf(one.values, metric), start: startOf(one) }))
      .filter(({ n }) => n > 0)
      .sort((a, b) => sign * (a.mean - b.mean) || a.name.localeCompare(b.name, "en"));
    const [first, ...others] = ranked;
    const [second] = others;
    if (!first) return [];
    const samples = others.map(({ values }) => values.filter(Number.isFinite));
    const tests = compare({ samples, baseline: first.values.filter(Number.isFinite), better }, "welch");
    const tested = tests.filter((test) => test !== undefined);
    const numBelow = tested.filter(({ correctedP }) => correctedP < 0.05).length;
    return [
      {
        environment,
        ranked,
        next: second && differenceOf(first.values, second.values, metric),
        isApart: (tests[0]?.correctedP ?? 1) < 0.05,
        numBelow: tested.length === 0 ? undefined : numBelow,
      },
    ];
  });
}

function startOf({ values, starts }: Configuration): number {
  return mean(starts.filter((start, i) => Number.isFinite(start) && Number.isFinite(values[i])));
}

/**
 * "+4.1 [1, 7]" by configuration: what each came to, less what the baseline did, with Welch's 95 % interval where both have
 * three seeds that vary. Another environment's are compared with the baseline's configuration there, by its name.
 */
export function describeDifferences(
  rankings: readonly Ranking[],
  baselineId: number,
  metric: Pick<Metric, "unit">,
): Map<number, string> {
  const name = rankings.flatMap(({ ranked }) => ranked).find(({ cellId }) => cellId === baselineId)?.name;
  return new Map(
    rankings.flatMap(({ ranked }) => {
      const baseline = ranked.find(({ cellId }) => cellId === baselineId) ?? ranked.find((one) => one.name === name);
      if (!baseline) return [];
      return ranked.map((one): [number, string] => {
        const difference = differenceOf(one.values, baseline.values, metric);
        return [one.cellId, one === baseline || !difference ? "baseline" : writeDifference(difference, metric)];
      });
    }),
  );
}
