import type { SurvivalGroup } from "#server/domain/stability/report/survival.ts";
import { toStars } from "#server/domain/statistics/evidence.ts";

/** The corrected p of a group against the baseline, with its stars, or why there is none. */
export function formatLogRank(group: SurvivalGroup, baseline: SurvivalGroup | undefined): string {
  const { test, numRuns, numCollapsed } = group;
  if (!test) return "compared with";
  if (!Number.isNaN(test.correctedP)) {
    return `${test.correctedP < 0.001 ? "< 0.001" : test.correctedP.toFixed(3)}${toStars(test.correctedP, numRuns)}`;
  }
  return numCollapsed + (baseline?.numCollapsed ?? 0) === 0 ? "no collapse in either" : untestable;
}

/** Nothing is left to chance: the log-rank statistic is 0 over a variance of 0. */
export const untestable = "not testable";
export const whyUntestable =
  "Not testable: at every collapse either all runs that were left collapsed at once, or only one of the two groups had runs left.";
