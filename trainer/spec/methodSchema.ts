import { z } from "zod";
import { Correction } from "./correctionSchema.ts";
import { Advantage, Aggregation, Clipping, Sampling } from "./dimensions.ts";

/** Schema of a method: one kind in each of the four dimensions. Its computations are in `trainer/objective`. */
export const Method = z.strictObject({
  aggregation: Aggregation.meta({ title: "Loss aggregation" }),
  clipping: Clipping,
  advantage: Advantage,
  sampling: Sampling,
  /** Aggregation of the KL and entropy terms. If absent, as in older specifications, it is that of the policy term. */
  penaltyAggregation: Aggregation.meta({
    title: "Aggregation of KL and entropy",
    description: "Aggregation of the KL and entropy terms of the loss; absent: the same as for the policy term.",
  }).exactOptional(),
  /** Off-policy correction for a sampler that differs from the trained policy. If absent, there is none. */
  correction: Correction.meta({
    title: "Correction",
    description:
      "Correction for a sampling policy that differs from the trained policy: weights, rejections and proximal policy; absent: no correction.",
  }).exactOptional(),
});
export type Method = z.infer<typeof Method>;
