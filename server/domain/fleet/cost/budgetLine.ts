import { formatCount, formatPrice } from "#packages/base";
import { formatSlotHours } from "./format.ts";

/** Units of a budget: started runs, slot-hours, money. */
export const budgetUnits = ["runs", "hours", "money"] as const;
export type BudgetUnit = (typeof budgetUnits)[number];

/** One limit of a budget, and how much of it is used. */
export type BudgetLine = {
  name: string;
  /** A sweep's id or a user's name; "" for the total, and for sweeps whose owner is unknown. */
  key: string;
  /** Title of the sweep, or name of the user. */
  title: string;
  days: number | null;
  unit: BudgetUnit;
  limit: number;
  /** Usage in the limit's unit; null if a used node has no price. */
  used: number | null;
};

/** Used fraction of a limit, may exceed 1; 0 if unknown. */
export const shareUsed = ({ used, limit }: Pick<BudgetLine, "used" | "limit">): number => (used ?? 0) / limit;

export const isSpent = (line: Pick<BudgetLine, "used" | "limit">): boolean => shareUsed(line) >= 1;

export function formatBudget(amount: number, unit: BudgetUnit): string {
  if (unit === "runs") return formatCount(amount, "run");
  return unit === "hours" ? formatSlotHours(amount) : formatPrice(amount);
}
