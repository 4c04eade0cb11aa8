import { type Rng, split } from "#trainer/spec/rng.ts";
import { chiSquareUpperTail } from "./distributions.ts";
import { type Looks, sequentialP } from "./groupSequential.ts";
import { holm } from "./multiplicity.ts";
import { choose } from "./permutationTest.ts";
import type { Duration, Stratum } from "./survival.ts";

export type LogRank = {
  chiSquare: number;
  p: number;
  /** Number of observed events in sample x, and number expected if both samples had the same hazard. */
  observed: number;
  expected: number;
  numEvents: number;
  /** p by the χ² approximation or, if there are too few events for it, by permutation within strata. */
  method: "chiSquare" | "exact" | "sampled";
  /** Number of arrangements from which p is computed; absent for the χ² approximation. */
  numArrangements?: number;
};

/** Number of events below which the χ² approximation of the log-rank test is too rough. */
export const fewEvents = 10;

/**
 * Tests equal hazards by the stratified log-rank test: observed minus expected events, and their variances, are
 * summed over strata. With fewer than ten events, p is computed by permutation within strata. NaN if there is no
 * event, or if the variance is 0.
 */
export function logRankTest(strata: readonly Stratum[]): LogRank {
  const parts = strata.map(sumEvents);
  const sum = (key: keyof Sums): number => parts.reduce((total, part) => total + part[key], 0);
  const [observed, expected, variance, numEvents] = [sum("observed"), sum("expected"), sum("variance"), sum("events")];
  const chiSquare = (observed - expected) ** 2 / variance;
  const test = { chiSquare, observed, expected, numEvents };
  if (numEvents >= fewEvents || Number.isNaN(chiSquare)) {
    return { ...test, p: chiSquareUpperTail(chiSquare, 1), method: "chiSquare" };
  }
  return { ...test, ...permuteLogRank(strata) };
}

type Sums = { observed: number; expected: number; variance: number; events: number };

function sumEvents({ x, y }: Stratum): Sums {
  const both = [...x, ...y];
  const times = new Set(both.filter(({ isEvent }) => isEvent).map(({ time }) => time));
  let [observed, expected, variance] = [0, 0, 0];
  for (const time of times) {
    const atRisk = countAtRisk(both, time);
    const atRiskX = countAtRisk(x, time);
    const events = countEvents(both, time);
    observed += countEvents(x, time);
    expected += (events * atRiskX) / atRisk;
    // Hypergeometric variance of the events in sample x; it is 0 if only one run is at risk.
    if (atRisk > 1) {
      variance += (events * atRiskX * (atRisk - atRiskX) * (atRisk - events)) / (atRisk ** 2 * (atRisk - 1));
    }
  }
  return { observed, expected, variance, events: both.filter(({ isEvent }) => isEvent).length };
}

/**
 * Applies the log-rank test to every comparison, with Holm's correction over all comparisons. p allows for all looks,
 * because the statistic has independent increments (Tsiatis, Biometrika 68, 1981).
 */
export function compareSurvival(
  comparisons: readonly (readonly Stratum[])[],
  looks: readonly Looks[] = [],
): (LogRank & { correctedP: number })[] {
  const tests = comparisons.map(logRankTest).map((test, i) => ({ ...test, p: sequentialP(test.p, looks[i] ?? []) }));
  const corrected = holm(tests.map(({ p }) => p));
  return tests.map((test, i) => ({ ...test, correctedP: corrected[i] ?? NaN }));
}

function countAtRisk(durations: readonly Duration[], at: number): number {
  return durations.filter(({ time }) => time >= at).length;
}

function countEvents(durations: readonly Duration[], at: number): number {
  return durations.filter(({ time, isEvent }) => isEvent && time === at).length;
}

/** `numArrangements`: number of assignments of runs to the two samples. */
type Permutation = { p: number; method: "exact" | "sampled"; numArrangements: number };
/** Log-rank scores of the runs in a stratum, and the number of those runs that belong to sample x. */
type Scored = { scores: readonly number[]; numOfX: number };

/** Maximum number of enumerated assignments. If there are more, this many are sampled. */
export const maxArrangements = 100_000;
/** Tolerance for sums of the same scores in another order, which may differ by rounding. */
const tolerance = 1e-9;

/**
 * Two-sided permutation p of the stratified statistic: fraction of assignments within strata that are at least as
 * extreme. Up to 100,000 are enumerated; of more, that many are sampled, including the observed one. The scores do not
 * depend on the assignment.
 */
function permuteLogRank(strata: readonly Stratum[], seed = 0): Permutation {
  const scored = strata.map(({ x, y }): Scored => ({ scores: logRankScores([...x, ...y]), numOfX: x.length }));
  const reached = Math.abs(scored.reduce((sum, { scores, numOfX }) => sum + sumOf(scores.slice(0, numOfX)), 0));
  const isExtreme = (sum: number): boolean => Math.abs(sum) >= reached - tolerance;
  const numAll = scored.reduce((product, { scores, numOfX }) => product * choose(scores.length, numOfX), 1);
  if (numAll <= maxArrangements) {
    return { p: countAll(scored, isExtreme) / numAll, method: "exact", numArrangements: numAll };
  }
  const rng = split(seed, "logRank");
  // A shuffle of a shuffled array is still uniform, so the arrays are not restored between samples.
  const orders = scored.map(({ scores, numOfX }) => ({ order: Float64Array.from(scores), numOfX }));
  let numExtreme = 1;
  for (let i = 1; i < maxArrangements; i++) {
    if (isExtreme(orders.reduce((sum, stratum) => sum + drawSum(stratum, rng), 0))) numExtreme += 1;
  }
  return { p: numExtreme / maxArrangements, method: "sampled", numArrangements: maxArrangements };
}

/** Log-rank scores: event indicator minus the Nelson–Aalen estimate at the run's time. They sum to 0. */
function logRankScores(durations: readonly Duration[]): number[] {
  const events = [...new Set(durations.filter(({ isEvent }) => isEvent).map(({ time }) => time))];
  const hazards = events.map((at) => {
    const met = durations.filter(({ time, isEvent }) => isEvent && time === at).length;
    return { at, hazard: met / durations.filter(({ time }) => time >= at).length };
  });
  return durations.map(({ time, isEvent }) => {
    const cumulative = hazards.reduce((sum, { at, hazard }) => (at <= time ? sum + hazard : sum), 0);
    return (isEvent ? 1 : 0) - cumulative;
  });
}

/** Counts the assignments with an extreme sum of scores, over all combinations of the strata's assignments. */
function countAll(strata: readonly Scored[], isExtreme: (sum: number) => boolean): number {
  let sums = [0];
  for (const stratum of strata) {
    const dealt = listSums(stratum);
    sums = sums.flatMap((sum) => dealt.map((more) => sum + more));
  }
  return sums.filter(isExtreme).length;
}

/** Returns the sum of the scores in sample x for every possible assignment of a stratum's runs. */
function listSums({ scores, numOfX }: Scored): number[] {
  const sums: number[] = [];
  const deal = (from: number, left: number, sum: number): void => {
    if (left === 0) sums.push(sum);
    else for (let i = from; i <= scores.length - left; i++) deal(i + 1, left - 1, sum + (scores[i] ?? 0));
  };
  deal(0, numOfX, 0);
  return sums;
}

/** Sum of sample x's scores for one random assignment: the first elements of a Fisher–Yates shuffle. */
function drawSum({ order, numOfX }: { order: Float64Array; numOfX: number }, rng: Rng): number {
  let sum = 0;
  for (let slot = 0; slot < numOfX; slot++) {
    const other = slot + rng.int(order.length - slot);
    const chosen = order[other] ?? 0;
    order[other] = order[slot] ?? 0;
    order[slot] = chosen;
    sum += chosen;
  }
  return sum;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
