import { z } from "zod";
import { findReports, findRuns, findSweeps } from "#server/db/runs/palette.ts";
import { toWordPatterns } from "#server/domain/runs/palette/fuzzy.ts";
import { viewing, router } from "../trpc.ts";

export const paletteRouter = router({
  search: viewing.input(z.strictObject({ text: z.string().max(200) })).query(async ({ ctx, input }) => {
    const words = toWordPatterns(input.text);
    const [sweeps, reports, runs] = await Promise.all([
      findSweeps(ctx.database.pool, words, 8),
      findReports(ctx.database.pool, words, 5),
      findRuns(ctx.database.pool, words, 20),
    ]);
    return { sweeps, reports, ...runs };
  }),
});
