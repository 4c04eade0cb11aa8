import { tQuantile, tUpperTail } from "./distributions.ts";
import type { Interval } from "./rates.ts";

/** Trials of one group that share a unit in every clustering: `hits` of `trials`. Trials of a unit may be correlated. */
type Clustered = {
  /** True for the compared group, false for the reference. */
  isOther: boolean;
  hits: number;
  trials: number;
  /** The unit of each clustering, such as the task and the training seed. */
  units: readonly string[];
};

export type OddsRatio = {
  /** Odds of a hit in the compared group, divided by those in the reference. */
  ratio: number;
  interval: Interval;
  /** Two-sided; NaN if there are fewer than two units in every clustering. */
  p: number;
};

/**
 * Odds ratio of two groups of trials with an interval that allows for correlation within units: the coefficient of a
 * logistic regression on the group, with cluster-robust standard errors and Student's t over the units, whose degrees
 * of freedom are weighted by the variance of each clustering (Welch and Satterthwaite). With several
 * clusterings the variance is that of Cameron, Gelbach and Miller (2011, eq. 2.11): the sum of both minus that of their
 * intersections, but no less than each alone. A clustering with a single unit is left out. If one group has no hits or
 * only hits, half a trial is added to its counts (Haldane–Anscombe), and the variance is no less than Woolf's.
 */
export function clusteredOddsRatio(rows: readonly Clustered[], level = 0.95): OddsRatio {
  const [reference, other] = [totalOf(rows, false), totalOf(rows, true)];
  const logRatio = logOdds(other) - logOdds(reference);
  const clusterings = (rows[0]?.units ?? [])
    .map((_, i) => rows.map(({ units }) => units[i] ?? ""))
    .filter((units) => new Set(units).size > 1);
  const scores = rows.map(({ isOther, hits, trials }) => {
    const { rate, total } = isOther ? other : reference;
    return ((isOther ? 1 : -1) * (hits - rate * trials)) / (total * rate * (1 - rate));
  });
  const size = reference.total + other.total;
  const varianceBy = (units: readonly string[]) => clusteredVariance(scores, units, size);
  const alone = clusterings.map(varianceBy);
  const [first = [], second] = clusterings;
  const both = second && varianceBy(first.map((unit, i) => JSON.stringify([unit, second[i]])));
  const joint = both === undefined ? NaN : alone.reduce((sum, one) => sum + one, 0) - both;
  // A group without hits has residuals of nearly 0, so its variance is at least that of independent trials.
  const least = reference.isExtreme || other.isExtreme ? ofIndependent(reference) + ofIndependent(other) : 0;
  const variance = Math.max(least, ...alone, ...(Number.isNaN(joint) ? [] : [joint]));
  const numUnits = clusterings.map((units) => new Set(units).size);
  const df = effectiveDf(alone, numUnits);
  const error = Math.sqrt(variance);
  if (!(error > 0) || !Number.isFinite(df))
    return { ratio: Math.exp(logRatio), interval: { low: NaN, high: NaN }, p: NaN };
  const half = tQuantile(1 - (1 - level) / 2, df) * error;
  return {
    ratio: Math.exp(logRatio),
    interval: { low: Math.exp(logRatio - half), high: Math.exp(logRatio + half) },
    p: Math.min(1, 2 * tUpperTail(Math.abs(logRatio) / error, df)),
  };
}

/** Welch and Satterthwaite's degrees of freedom of a sum of variances, each over its number of units. */
function effectiveDf(variances: readonly number[], numUnits: readonly number[]): number {
  const total = variances.reduce((sum, one) => sum + one, 0);
  return total ** 2 / variances.reduce((sum, one, i) => sum + one ** 2 / ((numUnits[i] ?? NaN) - 1), 0);
}

type Total = { rate: number; total: number; isExtreme: boolean };

function totalOf(rows: readonly Clustered[], isOther: boolean): Total {
  const own = rows.filter((row) => row.isOther === isOther);
  const hits = own.reduce((sum, row) => sum + row.hits, 0);
  const trials = own.reduce((sum, row) => sum + row.trials, 0);
  const isExtreme = hits === 0 || hits === trials;
  return isExtreme
    ? { rate: (hits + 0.5) / (trials + 1), total: trials + 1, isExtreme }
    : { rate: hits / trials, total: trials, isExtreme };
}

/** Variance of a group's log odds if its trials were independent (Woolf). */
function ofIndependent({ rate, total }: Total): number {
  return 1 / (total * rate * (1 - rate));
}

function logOdds({ rate }: Total): number {
  return Math.log(rate / (1 - rate));
}

/** Sum of squared scores per unit, with the correction for few units: G/(G − 1) · (N − 1)/(N − 2). */
function clusteredVariance(scores: readonly number[], units: readonly string[], size: number): number {
  const sums = new Map<string, number>();
  for (const [i, unit] of units.entries()) sums.set(unit, (sums.get(unit) ?? 0) + (scores[i] ?? 0));
  const squares = [...sums.values()].reduce((sum, one) => sum + one * one, 0);
  return (squares * (sums.size / (sums.size - 1)) * (size - 1)) / (size - 2);
}
