import { dimensionFactors } from "#server/domain/effects/factorLevels.ts";

/** By what runs are grouped whose time to collapse is compared. */
export const groupings = ["method", "configuration", "environment", ...dimensionFactors] as const;
export type Grouping = (typeof groupings)[number];
