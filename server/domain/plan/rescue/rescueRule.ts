import { z } from "zod";

export const rescueArms = [
  "mask",
  "minibatch",
  "learningRate",
  "kl",
  "clip",
  "gspo",
  "dynamic",
  "fresh",
  "float",
  "tis",
  "mis",
  "icePop",
] as const;
export type RescueArm = (typeof rescueArms)[number];

/** KL coefficient that the change `kl` sets in a run without a KL term; in other runs it is multiplied by 5. */
export const firstKl = 0.05;

const iterations = z.int().min(0).max(1_000_000);

/** Rule by which the studio launches rescue experiments for a sweep's collapsed runs (docs/branches.md). */
export const RescueRule = z.strictObject({
  on: z.enum(["collapsed", "unstable"]).meta({
    title: "Rescue a run",
    description:
      "Ended runs for which a rescue experiment is opened: runs that collapsed in hindsight (collapsed), or runs that had an alarm (unstable).",
  }),
  before: z
    .array(iterations)
    .min(1)
    .max(10)
    .describe("Iterations at which the branches begin, counted back from the first alarm.")
    .default([0, 10, 20]),
  arms: z.array(z.enum(rescueArms)).min(1).optional().describe("Changes that the branches try; absent: all changes."),
  continuations: z
    .int()
    .min(1)
    .max(100)
    .meta({
      title: "Continuations",
      description: "Number of branches per change. Branch i of every change uses the same random numbers.",
    })
    .default(5),
  budget: z
    .int()
    .min(1)
    .max(100_000)
    .meta({
      title: "Max branches",
      description:
        "Maximum number of branches in the sweep. An experiment that would exceed this number is not opened.",
    })
    .default(1000),
});
export type RescueRule = z.infer<typeof RescueRule>;
