import { detectableDifference } from "./power.ts";
import { isConstant } from "./summary.ts";

/** Evidence level, from the smaller of two samples of seeds. */
export type Evidence = "none" | "underpowered" | "full";

export const evidenceRules = { forIntervals: 3, forStars: 5 } as const;

/** Below 3 seeds: no interval and no test. Below 5: interval and effect size with a badge. From 5 on: stars. */
export function judgeEvidence(minSeeds: number): Evidence {
  if (minSeeds < evidenceRules.forIntervals) return "none";
  return minSeeds < evidenceRules.forStars ? "underpowered" : "full";
}

export type Stars = "" | "*" | "**" | "***";

/**
 * Stars of one sample against another. Two constant samples get none: seeds without any effect count as one observation
 * each.
 */
export function starsOf(correctedP: number, x: readonly number[], y: readonly number[]): Stars {
  return isConstant(x) && isConstant(y) ? "" : toStars(correctedP, Math.min(x.length, y.length));
}

/** Stars at corrected p below 0.05, 0.01, 0.001; never with fewer than 5 seeds. */
export function toStars(correctedP: number, minSeeds: number): Stars {
  if (judgeEvidence(minSeeds) !== "full" || !(correctedP < 0.05)) return "";
  if (correctedP < 0.001) return "***";
  return correctedP < 0.01 ? "**" : "*";
}

/** Explanation of the badge, for its tooltip and for captions. */
export function explainEvidence(minSeeds: number): string {
  switch (judgeEvidence(minSeeds)) {
    case "none":
      return minSeeds === 1
        ? "single seed: no interval and no test"
        : `${minSeeds} seeds: no interval and no test below ${evidenceRules.forIntervals}`;
    case "underpowered": {
      const smallest = detectableDifference(minSeeds).toFixed(1);
      return `underpowered: ${minSeeds} seeds find only differences above ${smallest} standard deviations (power 80 %)`;
    }
    case "full":
      return `${minSeeds} seeds`;
  }
}
