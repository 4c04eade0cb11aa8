import { dimensionFactors } from "#server/domain/plan/sweep/factorLevels.ts";

/** Groupings for the comparison of time to collapse. */
export const groupings = ["method", "configuration", "environment", ...dimensionFactors] as const;
export type Grouping = (typeof groupings)[number];
