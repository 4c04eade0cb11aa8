import type { CollapseCount } from "#packages/detector";
import type { Metric } from "#trainer/spec/metric.ts";
import { differenceBetween, type Drawn, findLooks } from "#server/domain/runs/looks.ts";
import { findNeeded, type Needed } from "#server/domain/runs/neededSeeds.ts";
import { groupBy } from "#packages/base";
import { compare, mean, spreadOf, type Difference, type Spread, writeDifference } from "#packages/statistics";

/** One final value per seed, NaN for a run without a value. */
export type Configuration = {
  cellId: number;
  method: string;
  name: string;
  /** Key of the task that the values were measured on; configurations are ranked within one task. */
  task: string;
  /** Name of the task, such as "Sokoban, room size 6". */
  environment: string;
  values: readonly number[];
  /** How these seeds were drawn; absent for seeds of a plan. */
  drawn?: readonly Drawn[];
  /** Values before training, for the same seeds in the same order as the final values. */
  starts: readonly number[];
  collapses: Collapses;
  /** Iteration that its runs have reached; absent once all runs have ended. */
  iteration?: number | undefined;
  /** Equal for configurations whose runs are equal at every step; absent for others. */
  curves?: string | undefined;
};

export type Collapses = CollapseCount & {
  numRuns: number;
  /** Runs without a label yet, and those of them with an alarm (unstable or worse). */
  numAwaited: number;
  numAlarmed: number;
};

export type Ranked = Configuration &
  Spread & {
    /** Mean over seeds before training; NaN if no seed has a value. */
    start: number;
  };

export type Ranking = {
  environment: string;
  /** Configurations by mean, best first; configurations without a value are excluded. */
  ranked: Ranked[];
  /** First mean minus second; undefined if there is only one. */
  next: Difference | undefined;
  isApart: boolean;
  /** Seeds that would tell the first two apart; undefined if they are apart, and with too few seeds to know. */
  needed: Needed | undefined;
  /**
   * Number of configurations that differ significantly from the first; undefined with too few seeds. The test is
   * Welch's (two-sided, p < .05, with Holm's correction over all configurations).
   */
  numBelow: number | undefined;
};

/**
 * Ranks by mean final value. The first is tested on the data that selected it, which favours it slightly; Holm's
 * correction over all others more than compensates.
 */
export function rankConfigurations(
  configurations: readonly Configuration[],
  metric: Pick<Metric, "unit" | "better">,
): Ranking[] {
  const { better } = metric;
  const sign = better === "down" ? 1 : -1;
  return [...groupBy(configurations, ({ task }) => task).values()].flatMap((inTask) => {
    const ranked = inTask
      .map((one) => ({ ...one, ...spreadOf(one.values, metric), start: startOf(one) }))
      .filter(({ n }) => n > 0)
      .sort((a, b) => sign * (a.mean - b.mean) || a.name.localeCompare(b.name, "en"));
    const [first, ...others] = ranked;
    const [second] = others;
    if (!first) return [];
    const samples = others.map(({ values }) => values.filter(Number.isFinite));
    const looks = others.map((other) => findLooks(first, other));
    const tests = compare({ samples, baseline: first.values.filter(Number.isFinite), better, looks }, "welch");
    const isApart = (tests[0]?.correctedP ?? 1) < 0.05;
    const tested = tests.filter((test) => test !== undefined);
    const numBelow = tested.filter(({ correctedP }) => correctedP < 0.05).length;
    return [
      {
        environment: first.environment,
        ranked,
        next: second && differenceBetween(first, second, metric),
        isApart,
        needed: second && !isApart ? findNeeded(first, second, metric) : undefined,
        numBelow: tested.length === 0 ? undefined : numBelow,
      },
    ];
  });
}

function startOf({ values, starts }: Configuration): number {
  return mean(starts.filter((start, i) => Number.isFinite(start) && Number.isFinite(values[i])));
}

/**
 * Describes differences from the baseline, such as "+4.1 [1, 7]", with Welch's 95 % interval for at least three seeds
 * that vary. In another environment, the baseline is the configuration of the same name.
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
        const difference = differenceBetween(one, baseline, metric);
        return [one.cellId, one === baseline || !difference ? "baseline" : writeDifference(difference, metric)];
      });
    }),
  );
}
