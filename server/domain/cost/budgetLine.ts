import { formatCount, formatPrice } from "#server/domain/words.ts";
import { formatSlotHours } from "./format.ts";

/** What a budget limits: runs that began, hours that slots were held, their price. */
export const budgetUnits = ["runs", "hours", "money"] as const;
export type BudgetUnit = (typeof budgetUnits)[number];

/** One limit of one budget, and how much of it is used. */
export type BudgetLine = {
  /** Of the budget. */
  name: string;
  /** A sweep's id or a person's name; "" for all together and for sweeps that nobody launched by name. */
  key: string;
  /** Of whom the budget is. */
  title: string;
  days: number | null;
  unit: BudgetUnit;
  limit: number;
  /** In the unit of the limit; null: a node that was used has no price. */
  used: number | null;
};

/** 0 and up, 1 being all of it; 0 where it is not known. */
export const shareUsed = ({ used, limit }: Pick<BudgetLine, "used" | "limit">): number => (used ?? 0) / limit;

export const isSpent = (line: Pick<BudgetLine, "used" | "limit">): boolean => shareUsed(line) >= 1;

/** A number of a line with its unit. */
export function formatBudget(amount: number, unit: BudgetUnit): string {
  if (unit === "runs") return formatCount(amount, "run");
  return unit === "hours" ? formatSlotHours(amount) : formatPrice(amount);
}
