import type { Pool } from "pg";
import type { BudgetLine } from "#server/domain/fleet/cost/budgetLine.ts";
import { weighBudgets } from "#server/domain/fleet/cost/budgets.ts";
import type { Budget } from "#server/domain/fleet/cost/budgetsFile.ts";
import { readUses } from "./costs.ts";

const dayMs = 86_400_000;

/** Usage of each budget so far. */
export async function readBudgetLines(pool: Pool, budgets: readonly Budget[]): Promise<BudgetLine[]> {
  const now = Date.now();
  const periods = [...new Set(budgets.map(({ days }) => days ?? null))];
  const uses = new Map(
    await Promise.all(
      periods.map(async (days) => {
        const since = new Date(days === null ? 0 : now - days * dayMs);
        return [days, await readUses(pool, since)] as const;
      }),
    ),
  );
  return weighBudgets(budgets, (days) => uses.get(days) ?? []);
}
