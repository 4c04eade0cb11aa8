import { dimensionFactors } from "#server/domain/plan/sweep/methods/factorLevels.ts";

/** Properties by which runs can be grouped when their times to collapse are compared. */
export const groupings = ["method", "configuration", "environment", ...dimensionFactors] as const;
export type Grouping = (typeof groupings)[number];
