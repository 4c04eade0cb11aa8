import { z } from "zod";
import { readBudgets } from "#server/config/budgets.ts";
import { readConfig } from "#server/config/config.ts";
import { readBudgetLines } from "#server/db/budgets.ts";
import type { BudgetLine } from "#server/domain/cost/budgetLine.ts";
import { costGroups } from "#server/domain/cost/costs.ts";
import { AppError } from "#server/domain/errors.ts";
import { makeCosts, readEstimateBasis } from "../reports/costs.ts";
import { viewing, router } from "../trpc.ts";

const mostDays = 3660;

/** What runs that were carried out here used, lost and still need; and how good estimates of that were. */
export const costRouter = router({
  table: viewing
    .input(
      z.strictObject({
        by: z.enum(costGroups).default("sweep"),
        /** Attempts that began within so many days count; absent: all. */
        days: z.int().min(1).max(mostDays).optional(),
      }),
    )
    .query(({ ctx, input: { by, days } }) => makeCosts({ database: ctx.database, by, days: days ?? null }, new Date())),

  /** How much of each budget in `budgets.yaml` runs have used; an administrator changes budgets in the file alone. */
  budgets: viewing.query(async ({ ctx }): Promise<{ lines: BudgetLine[]; problem: string | null }> => {
    try {
      const budgets = readBudgets(readConfig().home)?.budgets ?? [];
      return { lines: await readBudgetLines(ctx.database.pool, budgets), problem: null };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { lines: [], problem: error.message };
    }
  }),

  /** What estimates before launch are made of. */
  basis: viewing.query(({ ctx }) => readEstimateBasis(ctx.database)),
});
