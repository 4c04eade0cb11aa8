import { z } from "zod";
import { analysisNames } from "#server/domain/analysis/analyses.ts";
import { viewing, router } from "../trpc.ts";

export const analysisRouter = router({
  /** Returns the progress of an analysis, by its name and input; null if it is not running. */
  progress: viewing
    .input(z.strictObject({ name: z.enum(analysisNames), input: z.record(z.string(), z.unknown()) }))
    .query(({ ctx, input: { name, input } }) => ctx.analyst.progressOf(name, input)),
});
