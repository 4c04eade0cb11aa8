import { chiSquareUpperTail } from "./distributions.ts";
import { holm } from "./multiplicity.ts";
import type { Duration } from "./survival.ts";

export type LogRank = { chiSquare: number; p: number; observed: number; expected: number };

/**
 * Log-rank test: does x meet the event at another rate than y? Observed and expected events are those of x. NaN where
 * nobody met it.
 */
export function logRankTest(x: readonly Duration[], y: readonly Duration[]): LogRank {
  const both = [...x, ...y];
  const times = new Set(both.filter(({ isEvent }) => isEvent).map(({ time }) => time));
  let [observed, expected, variance] = [0, 0, 0];
  for (const time of times) {
    const atRisk = countAtRisk(both, time);
    const atRiskX = countAtRisk(x, time);
    const events = countEvents(both, time);
    observed += countEvents(x, time);
    expected += (events * atRiskX) / atRisk;
    // Hypergeometric; the last one at risk has nothing left to chance.
    if (atRisk > 1) {
      variance += (events * atRiskX * (atRisk - atRiskX) * (atRisk - events)) / (atRisk ** 2 * (atRisk - 1));
    }
  }
  const chiSquare = (observed - expected) ** 2 / variance;
  return { chiSquare, p: chiSquareUpperTail(chiSquare, 1), observed, expected };
}

/** Every sample against the first one's, with p corrected by Holm. */
export function compareSurvival(
  baseline: readonly Duration[],
  others: readonly (readonly Duration[])[],
): (LogRank & { correctedP: number })[] {
  const tests = others.map((other) => logRankTest(other, baseline));
  const corrected = holm(tests.map(({ p }) => p));
  return tests.map((test, i) => ({ ...test, correctedP: corrected[i] ?? NaN }));
}

function countAtRisk(durations: readonly Duration[], at: number): number {
  return durations.filter(({ time }) => time >= at).length;
}

function countEvents(durations: readonly Duration[], at: number): number {
  return durations.filter(({ time, isEvent }) => isEvent && time === at).length;
}
