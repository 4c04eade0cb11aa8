import { z } from "zod";
import { Correction } from "./correctionSchema.ts";
import { Advantage, Aggregation, Clipping, Sampling } from "./dimensions.ts";

/** A method: one point in four dimensions. It is data; the code is in `trainer/objective`. */
export const Method = z.strictObject({
  aggregation: Aggregation.meta({ title: "Loss aggregation" }),
  clipping: Clipping,
  advantage: Advantage,
  sampling: Sampling,
  /** Aggregation of the KL and entropy terms. Absent, as in older specifications: the policy term's. */
  penaltyAggregation: Aggregation.meta({
    title: "Aggregation of KL and entropy",
    description: "Over what the KL and entropy terms are averaged; absent: as the policy term.",
  }).exactOptional(),
  /** Correction for a sampler that differs from the learning policy. Absent: none. */
  correction: Correction.meta({
    title: "Correction",
    description: "Weights, rejections and the proximal policy, where the sampler is another policy; absent: none.",
  }).exactOptional(),
});
export type Method = z.infer<typeof Method>;
