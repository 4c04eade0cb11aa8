import { z } from "zod";
import { Gpu } from "./gpus.ts";

/** Facts that a trainer found about its machine. */
export const Machine = z.object({
  host: z.string(),
  atMs: z.number(),
  /** Error by name of the execution provider; null if the provider works. */
  providers: z.record(z.string(), z.string().nullable()),
  /** True if every provider answered in time. One that did not may answer at the next try. */
  isComplete: z.boolean(),
  gpus: z.array(Gpu),
  /** Reason why no GPU is listed although its driver's tool exists, or why the probe failed. */
  problem: z.string().nullable(),
});
export type Machine = z.infer<typeof Machine>;

/** Prefix of the line on the trainer's standard output that contains the machine as JSON. */
export const machineMark = "ARLARENA-MACHINE ";
