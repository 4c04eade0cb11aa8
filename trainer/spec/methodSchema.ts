import { z } from "zod";
import { Advantage, Aggregation, Clipping, Sampling } from "./dimensions.ts";

/** A method is one point in four dimensions. Data, not code: behaviour lives in `trainer/objective`. */
export const Method = z.strictObject({
  aggregation: Aggregation,
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
});
export type Method = z.infer<typeof Method>;
