import { z } from "zod";
import { Correction } from "#trainer/spec/correctionSchema.ts";
import { Advantage, Aggregation, Clipping, Sampling } from "#trainer/spec/dimensions.ts";
import { methodNames, methodOf, methods, withPenalties, type Method } from "#trainer/spec/method.ts";

export const MethodName = z.enum(methodNames);

/** A variant of a method under a new name: `from` (default GRPO) with some of the four dimensions replaced. */
export const MethodVariant = z.strictObject({
  name: z.string().trim().min(1).max(60),
  from: MethodName.optional(),
  aggregation: Aggregation.optional(),
  clipping: Clipping.optional(),
  advantage: Advantage.optional(),
  sampling: Sampling.optional(),
  /** Off-policy correction. Null removes the base method's correction; undefined leaves it unchanged. */
  correction: Correction.nullable().optional(),
  /** Aggregation of the KL and entropy terms; if absent, as in ARLArena's reference implementation. */
  penaltyAggregation: Aggregation.optional(),
});
export type MethodVariant = z.infer<typeof MethodVariant>;

/** A published method by name, or a variant of one. */
export const MethodChoice = z.union([MethodName, MethodVariant]);
export type MethodChoice = z.infer<typeof MethodChoice>;

/** Resolves a choice to the method's four dimensions and its legend name. */
export function resolveMethod(choice: MethodChoice): { label: string; method: Method } {
  if (typeof choice === "string") return { label: methods[choice].title, method: methodOf(choice) };
  const base = methodOf(choice.from ?? "grpo");
  const { aggregation = base.aggregation, clipping = base.clipping } = choice;
  const { advantage = base.advantage, sampling = base.sampling, penaltyAggregation } = choice;
  const correction = choice.correction === undefined ? base.correction : choice.correction;
  const point = { aggregation, clipping, advantage, sampling, ...(correction && { correction }) };
  const method = penaltyAggregation === undefined ? withPenalties(point) : { ...point, penaltyAggregation };
  return { label: choice.name, method };
}
