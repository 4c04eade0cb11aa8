import { z } from "zod";
import { Gpu } from "./gpus.ts";

/** Properties of a machine, as the trainer found them. */
export const Machine = z.object({
  host: z.string(),
  atMs: z.number(),
  /** Error of each execution provider, by the provider's name; null if the provider works. */
  providers: z.record(z.string(), z.string().nullable()),
  /** True if every provider answered in time. A provider that did not answer may do so at the next test. */
  isComplete: z.boolean(),
  gpus: z.array(Gpu),
  /** Reason why no GPU is listed although its driver's tool exists, or why the test of the machine failed. */
  problem: z.string().nullable(),
});
export type Machine = z.infer<typeof Machine>;

/** Prefix of the line on the trainer's standard output that contains the machine as JSON. */
export const machineMark = "ARLARENA-MACHINE ";
