import { formatCount, formatPrice } from "#packages/base";
import { formatSlotHours } from "./format.ts";

/** Units in which a budget is limited: number of started runs, slot-hours, or money. */
export const budgetUnits = ["runs", "hours", "money"] as const;
export type BudgetUnit = (typeof budgetUnits)[number];

/** One limit of a compute budget, and how much of it is used. */
export type BudgetLine = {
  name: string;
  /** Id of the sweep or name of the user that the limit covers; "" for the total, and for an unknown owner. */
  key: string;
  /** Title of the sweep, or name of the user. */
  title: string;
  days: number | null;
  unit: BudgetUnit;
  limit: number;
  /** Amount used, in the limit's unit; null if a node that was used has no price. */
  used: number | null;
};

/** Returns the fraction of the limit that is used (may exceed 1); 0 if the amount is unknown. */
export const shareUsed = ({ used, limit }: Pick<BudgetLine, "used" | "limit">): number => (used ?? 0) / limit;

export const isSpent = (line: Pick<BudgetLine, "used" | "limit">): boolean => shareUsed(line) >= 1;

export function formatBudget(amount: number, unit: BudgetUnit): string {
  if (unit === "runs") return formatCount(amount, "run");
  return unit === "hours" ? formatSlotHours(amount) : formatPrice(amount);
}
