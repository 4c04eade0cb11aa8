import { dimensionFactors } from "#server/domain/plan/sweep/factorLevels.ts";

/** Ways to group runs when time to collapse is compared. */
export const groupings = ["method", "configuration", "environment", ...dimensionFactors] as const;
export type Grouping = (typeof groupings)[number];
