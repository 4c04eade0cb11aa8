import { z } from "zod";
import { editFile } from "#server/config/editFile.ts";
import { PriceForm, putPrice } from "#server/config/nodePrice.ts";
import { nodesFile, readNodes } from "#server/config/nodes.ts";
import { readBudgets } from "#server/config/yamlFile.ts";
import { readConfig } from "#server/config/config.ts";
import { readBudgetLines } from "#server/db/fleet/costs.ts";
import { savePrice } from "#server/db/fleet/nodes.ts";
import type { BudgetLine } from "#server/domain/fleet/cost/budgetLine.ts";
import { costGroups } from "#server/domain/fleet/cost/format.ts";
import { AppError } from "#packages/base";
import { makeCosts, readEstimateBasis } from "./costs.ts";
import { administering, viewing, router } from "../trpc.ts";

const maxDays = 3660;

export const costRouter = router({
  table: viewing
    .input(
      z.strictObject({
        by: z.enum(costGroups).default("sweep"),
        /** Counts only attempts that began within so many days; if absent, all attempts. */
        days: z.int().min(1).max(maxDays).optional(),
      }),
    )
    .query(({ ctx, input: { by, days } }) => makeCosts({ database: ctx.database, by, days: days ?? null }, new Date())),

  /** Returns the usage of each budget in `budgets.yaml`; budgets can only be changed in this file. */
  budgets: viewing.query(async ({ ctx }): Promise<{ lines: BudgetLine[]; problem: string | null }> => {
    try {
      const budgets = readBudgets(readConfig().home)?.budgets ?? [];
      return { lines: await readBudgetLines(ctx.database.pool, budgets), problem: null };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { lines: [], problem: error.message };
    }
  }),

  /** Sets or removes the price of a node's slot in the nodes file; null: unknown. */
  setPrice: administering.input(PriceForm).mutation(async ({ ctx, input }) => {
    const { home } = readConfig();
    editFile(nodesFile(home), (text) => putPrice(text, input, readNodes(home)));
    await savePrice(ctx.database, input.name, input.price);
  }),

  /** Returns the data from which the cost of a sweep is estimated before its launch. */
  basis: viewing.query(({ ctx }) => readEstimateBasis(ctx.database)),
});
