import { z } from "zod";

/**
 * Makes the schema of a node's name or label.
 * @param what subject with which error messages begin
 */
export const word = (what: string) =>
  z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, `${what}: letters, digits, . _ -`);

/** Requirements of a sweep's runs: slots per run, and labels of nodes. */
export const Placement = z.strictObject({
  /** Number of slots that a run uses on one node. If the node's slots are GPUs, this is the number of GPUs. */
  slots: z
    .int()
    .min(1)
    .max(1024)
    .meta({ title: "Slots of a run", description: "Number of slots of one node that each run reserves." })
    .default(1),
  labels: z.array(word("label")).max(32).default([]),
});
