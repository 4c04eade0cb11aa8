import { z } from "zod";
import { Correction } from "./correctionSchema.ts";
import { Advantage, Aggregation, Clipping, Sampling } from "./dimensions.ts";

/** A method is one point in four dimensions. Data, not code: behaviour lives in `trainer/objective`. */
export const Method = z.strictObject({
  aggregation: Aggregation.meta({ title: "Loss aggregation" }),
  clipping: Clipping,
  advantage: Advantage,
  sampling: Sampling,
  /**
   * Over what the KL and entropy terms are averaged. Absent: as the policy term, which is all that specifications knew
   * before there was this field.
   */
  penaltyAggregation: Aggregation.meta({
    title: "Aggregation of KL and entropy",
    description: "Over what the KL and entropy terms are averaged; absent: as the policy term.",
  }).exactOptional(),
  /** What is done about a sampler that is another policy than the one that learns. Absent: nothing. */
  correction: Correction.meta({
    title: "Correction",
    description: "Weights, rejections and the proximal policy, where the sampler is another policy; absent: none.",
  }).exactOptional(),
});
export type Method = z.infer<typeof Method>;
