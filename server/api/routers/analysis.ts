import { z } from "zod";
import { analysisNames } from "#server/domain/analyses.ts";
import { viewing, router } from "../trpc.ts";

/** Analyses that are under way. */
export const analysisRouter = router({
  /** How far one has come, by its name and the input of the procedure that asked for it; null where it is not under way. */
  progress: viewing
    .input(z.strictObject({ name: z.enum(analysisNames), input: z.record(z.string(), z.unknown()) }))
    .query(({ ctx, input: { name, input } }) => ctx.analyst.progressOf(name, input)),
});
