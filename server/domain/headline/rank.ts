import { compare } from "#server/domain/tables/builder/estimates.ts";
import { evidenceRules } from "#server/domain/statistics/evidence.ts";
import { meanInterval } from "#server/domain/statistics/studentT.ts";
import { mean } from "#server/domain/statistics/summary.ts";

/** What the runs of a configuration came to: one value a seed, NaN for a run without one. */
export type Configuration = { cellId: number; name: string; environment: string; values: readonly number[] };

export type Ranked = Configuration & {
  /** NaN without a value. */
  mean: number;
  /** Half of the 95 % t interval; undefined below three seeds. */
  halfWidth: number | undefined;
  n: number;
};

export type Ranking = {
  environment: string;
  /** The best first, by mean; those without a value are left out. */
  ranked: Ranked[];
  /** How many of the others differ from the first (Welch, two-sided, Holm over all of them, below .05); undefined where seeds are too few for a test. */
  numBelow: number | undefined;
};

/**
 * Configurations of one environment in the order of their means. The first is chosen by the data that then tests it: its
 * lead is flattered a little, which Holm's correction over all others more than takes back.
 */
export function rankConfigurations(
  configurations: readonly Configuration[],
  better: "up" | "down" | "none",
): Ranking[] {
  const sign = better === "down" ? 1 : -1;
  return [...new Set(configurations.map(({ environment }) => environment))].flatMap((environment) => {
    const ranked = configurations
      .filter((one) => one.environment === environment)
      .map(summarise)
      .filter(({ n }) => n > 0)
      .sort((a, b) => sign * (a.mean - b.mean));
    const [first, ...others] = ranked;
    if (!first) return [];
    const samples = others.map(({ values }) => values.filter(Number.isFinite));
    const tests = compare({ samples, baseline: first.values.filter(Number.isFinite), better }, "welch");
    const tested = tests.filter((test) => test !== undefined);
    const numBelow = tested.filter(({ correctedP }) => correctedP < 0.05).length;
    return [{ environment, ranked, numBelow: tested.length === 0 ? undefined : numBelow }];
  });
}

function summarise(configuration: Configuration): Ranked {
  const values = configuration.values.filter(Number.isFinite);
  const { halfWidth } = meanInterval(values);
  return {
    ...configuration,
    mean: mean(values),
    halfWidth: values.length >= evidenceRules.forIntervals && Number.isFinite(halfWidth) ? halfWidth : undefined,
    n: values.length,
  };
}
