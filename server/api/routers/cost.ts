import { z } from "zod";
import { costGroups } from "#server/domain/cost/costs.ts";
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

  /** What estimates before launch are made of. */
  basis: viewing.query(({ ctx }) => readEstimateBasis(ctx.database)),
});
