import { chiSquareUpperTail } from "./distributions.ts";
import { permuteLogRank } from "./logRankPermutation.ts";
import { holm } from "./multiplicity.ts";
import type { Duration, Stratum } from "./survival.ts";

export type LogRank = {
  chiSquare: number;
  p: number;
  /** Observed events of x, and the number expected if both samples had the same hazard. */
  observed: number;
  expected: number;
  /** Events of both samples. */
  numEvents: number;
  /** `exact` and `sampled`: p by permutation within strata, if there are too few events for the χ² approximation. */
  method: "chiSquare" | "exact" | "sampled";
  /** Number of arrangements behind p, if by permutation. */
  numArrangements?: number;
};

/** With fewer events the χ² approximation is too rough. */
export const fewEvents = 10;

/**
 * Stratified log-rank test of equal hazards: observed minus expected events and their variances are summed over strata.
 * With fewer than ten events, p is by permutation within strata. NaN without any event, or if the variance is 0.
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
    // Hypergeometric variance; it is 0 for the last one at risk.
    if (atRisk > 1) {
      variance += (events * atRiskX * (atRisk - atRiskX) * (atRisk - events)) / (atRisk ** 2 * (atRisk - 1));
    }
  }
  return { observed, expected, variance, events: both.filter(({ isEvent }) => isEvent).length };
}

/** Log-rank test of every comparison, with Holm's correction over all of them. */
export function compareSurvival(comparisons: readonly (readonly Stratum[])[]): (LogRank & { correctedP: number })[] {
  const tests = comparisons.map(logRankTest);
  const corrected = holm(tests.map(({ p }) => p));
  return tests.map((test, i) => ({ ...test, correctedP: corrected[i] ?? NaN }));
}

function countAtRisk(durations: readonly Duration[], at: number): number {
  return durations.filter(({ time }) => time >= at).length;
}

function countEvents(durations: readonly Duration[], at: number): number {
  return durations.filter(({ time, isEvent }) => isEvent && time === at).length;
}
