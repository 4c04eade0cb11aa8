import { z } from "zod";

/** Schema of a name or a label of nodes; messages begin with `what`. */
export const word = (what: string) =>
  z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, `${what}: letters, digits, . _ -`);

/** Requirements of each run of a sweep on a node. */
export const Placement = z.strictObject({
  /** Slots of one node; GPUs where it has slots per GPU. */
  slots: z
    .int()
    .min(1)
    .max(1024)
    .meta({ title: "Slots of a run", description: "Reserves this many slots of one node for each run." })
    .default(1),
  labels: z.array(word("label")).max(32).default([]),
});
