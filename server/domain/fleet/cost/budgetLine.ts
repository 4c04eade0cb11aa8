import { formatCount, formatPrice } from "#packages/base";
import { formatSlotHours } from "./format.ts";

/** Units of a budget: started runs, slot-hours, price. */
export const budgetUnits = ["runs", "hours", "money"] as const;
export type BudgetUnit = (typeof budgetUnits)[number];

/** One limit of a budget and its usage. */
export type BudgetLine = {
  /** Name of the budget. */
  name: string;
  /** A sweep's id or a user's name; "" for the total and for sweeps without a known owner. */
  key: string;
  /** Title of the sweep, or name of the user. */
  title: string;
  days: number | null;
  unit: BudgetUnit;
  limit: number;
  /** Usage in the limit's unit; null: a used node has no price. */
  used: number | null;
};

/** Used fraction, may exceed 1; 0 if unknown. */
export const shareUsed = ({ used, limit }: Pick<BudgetLine, "used" | "limit">): number => (used ?? 0) / limit;

export const isSpent = (line: Pick<BudgetLine, "used" | "limit">): boolean => shareUsed(line) >= 1;

/** An amount with its unit. */
export function formatBudget(amount: number, unit: BudgetUnit): string {
  if (unit === "runs") return formatCount(amount, "run");
  return unit === "hours" ? formatSlotHours(amount) : formatPrice(amount);
}
