import type { Pool } from "#server/db/storage/client.ts";
import { readBudgetLines } from "#server/db/fleet/budgets.ts";
import { type BudgetLine, isSpent } from "#server/domain/fleet/cost/budgetLine.ts";
import type { BudgetsFile } from "#server/domain/fleet/cost/budgetsFile.ts";

/** Interval between sums over all attempts, the slowest check. */
const everyMs = 30_000;

type Watching = { read: () => BudgetsFile | undefined; log: (text: string) => void };

/** Returns the budget limits that are spent; the last known ones if the sum fails, which ends none. */
export function watchBudgets(pool: Pool, { read, log }: Watching): () => Promise<readonly BudgetLine[] | undefined> {
  let spent: readonly BudgetLine[] | undefined;
  let nextMs = 0;
  let lastFile = "";
  let lastProblem = "";
  return async () => {
    try {
      const budgets = read()?.budgets ?? [];
      const file = JSON.stringify(budgets);
      if (file === lastFile && Date.now() < nextMs) return spent;
      spent = budgets.length === 0 ? [] : (await readBudgetLines(pool, budgets)).filter(isSpent);
      nextMs = Date.now() + everyMs;
      lastFile = file;
      lastProblem = "";
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== lastProblem) log(`budgets: ${problem}`);
      lastProblem = problem;
    }
    return spent;
  };
}
