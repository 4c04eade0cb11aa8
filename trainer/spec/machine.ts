import { z } from "zod";
import { Gpu } from "./gpus.ts";

export const Machine = z.object({
  host: z.string(),
  atMs: z.number(),
  /** Error of each ONNX Runtime execution provider by its name; null if the provider works. */
  providers: z.record(z.string(), z.string().nullable()),
  /** True if every execution provider answered in time; otherwise the machine is soon tested again. */
  isComplete: z.boolean(),
  gpus: z.array(Gpu),
  /** Reason why no GPU is listed although `nvidia-smi` exists, or why the machine's test failed; else null. */
  problem: z.string().nullable(),
});
export type Machine = z.infer<typeof Machine>;

/** Prefix of the output line on which the trainer prints a machine's properties as JSON. */
export const machineMark = "ARLARENA-MACHINE ";
