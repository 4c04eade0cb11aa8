import { z } from "zod";
import { readFields } from "#server/db/runtable/catalogue.ts";
import { RunView } from "#server/domain/runtable/view.ts";
import { readRunGroups, readRunIdsOf, readRunTable, readValuesOf } from "../reports/runTable.ts";
import { Int4 } from "../reports/columns.ts";
import { protectedProcedure, router } from "../trpc.ts";

/** All runs of all sweeps as one table: filtered, sorted, grouped and cut into windows by the database. */
export const runTableRouter = router({
  fields: protectedProcedure.query(({ ctx }) => readFields(ctx.database.pool)),

  rows: protectedProcedure
    .input(RunView.omit({ groupBy: true }).extend({ offset: Int4, limit: z.int().min(1).max(500) }))
    .query(({ ctx, input }) => readRunTable(ctx.database, input)),

  groups: protectedProcedure.input(RunView).query(({ ctx, input }) => readRunGroups(ctx.database, input)),

  ids: protectedProcedure
    .input(RunView.pick({ filter: true, order: true }))
    .query(({ ctx, input }) => readRunIdsOf(ctx.database, input)),

  values: protectedProcedure
    .input(z.strictObject({ field: z.string().max(300), text: z.string().max(200) }))
    .query(({ ctx, input }) => readValuesOf(ctx.database, input)),
});
