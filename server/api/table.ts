import { z } from "zod";
import { readTables } from "./tables.ts";
import { protectedProcedure, router } from "./trpc.ts";

/** Tables as models: the browser previews them and prints LaTeX, Markdown and CSV from them. */
export const tableRouter = router({
  final: protectedProcedure
    .input(z.strictObject({ sweepIds: z.array(z.string()).min(1).max(20), metric: z.string().max(200) }))
    .query(({ ctx, input }) => readTables(ctx.database, input.sweepIds, input.metric)),
});
