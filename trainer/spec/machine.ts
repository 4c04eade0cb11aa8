import { z } from "zod";
import { Gpu } from "./gpus.ts";

/** What a trainer found out about the machine that it is on. */
export const Machine = z.object({
  host: z.string(),
  atMs: z.number(),
  /** By the name of an execution provider what keeps it from working there; null: it works. */
  providers: z.record(z.string(), z.string().nullable()),
  /** Whether every provider answered in time: one that did not may do so at another try. */
  isComplete: z.boolean(),
  gpus: z.array(Gpu),
  /** Why there are no GPUs although a program of their driver is there, or why nothing could be found out. */
  problem: z.string().nullable(),
});
export type Machine = z.infer<typeof Machine>;

/** Before the machine as JSON, in a line on the trainer's standard output. */
export const machineMark = "ARLARENA-MACHINE ";
