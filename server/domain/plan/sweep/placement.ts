import { z } from "zod";

/** Schema of a node's name or label; error messages begin with `what`. */
export const word = (what: string) =>
  z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, `${what}: letters, digits, . _ -`);

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
