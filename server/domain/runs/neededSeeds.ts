import { evidenceRules, findNeededSeeds, isRate, type Looks, mean, variance } from "#packages/statistics";
import { findLooks, type Sampled } from "./looks.ts";

/** Seeds of each group that decide an undecided comparison with power 80 %: at the observed difference, and at 10 points. */
export type Needed = {
  /** Present number of seeds; for unequal groups, their harmonic mean. */
  n: number;
  difference: number;
  /** Null above 1,000 seeds. */
  atObserved: number | null;
  /** Undefined for a metric that is no rate. */
  atTenPoints?: number | null;
};

const tenPoints = 0.1;

/** Undefined with too few seeds to know their spread, or without any spread. */
export function findNeeded(x: Sampled, y: Sampled, metric: { unit: string }): Needed | undefined {
  const [a = [], b = []] = [x, y].map(({ values }) => values.filter(Number.isFinite));
  if (Math.min(a.length, b.length) < evidenceRules.forIntervals) return undefined;
  const standardError = Math.sqrt(variance(a) / a.length + variance(b) / b.length);
  const looks = findLooks(x, y);
  const information = 1 / (1 / a.length + 1 / b.length);
  return neededOf(mean(a) - mean(b), { standardError, information, looks }, metric);
}

export type Undecided = {
  standardError: number;
  /** 1 / (1/n + 1/m) of two groups; over strata, the sum. */
  information: number;
  looks: Looks;
};

export function neededOf(
  difference: number,
  { information, ...known }: Undecided,
  metric: { unit: string },
): Needed | undefined {
  if (!(known.standardError > 0)) return undefined;
  const undecided = { ...known, n: 2 * information };
  return {
    n: undecided.n,
    difference,
    atObserved: findNeededSeeds(difference, undecided),
    ...(isRate(metric) && { atTenPoints: findNeededSeeds(tenPoints, undecided) }),
  };
}

/** New seeds of every configuration that raise `n` to the needed number, for a sweep with this number of seeds. */
export function countNewSeeds({ n }: Pick<Needed, "n">, needed: number, numSeeds: number): number {
  return Math.max(1, Math.ceil(numSeeds * (needed / n - 1) - 1e-9));
}
