import { z } from "zod";
import { Correction } from "#trainer/spec/correctionSchema.ts";
import { Advantage, Aggregation, Clipping, Sampling } from "#trainer/spec/dimensions.ts";
import { mergeSettings } from "../merge.ts";
import { methodNames, methodOf, methods, withPenalties, type Method } from "#trainer/spec/method.ts";

export const MethodName = z.enum(methodNames);

/** Parts of a method that a variant may write partially. */
export const variantParts = { clipping: Clipping, advantage: Advantage, sampling: Sampling };

/**
 * Completes the parts of a variant that leave settings out, such as `clipping: { high: 0.3 }`, with those of the method
 * that it is `from`. Complete parts stay, and so do parts of another kind.
 */
function completeParts(variant: unknown): unknown {
  if (typeof variant !== "object" || variant === null) return variant;
  const written: Record<string, unknown> = { ...variant };
  const from = MethodName.safeParse(written["from"] ?? "grpo");
  if (!from.success) return variant;
  const base = methodOf(from.data);
  for (const name of ["clipping", "advantage", "sampling"] as const) {
    const part = written[name];
    if (typeof part !== "object" || part === null) continue;
    const { data } = variantParts[name].safeParse(part);
    const isComplete = data && Object.keys(data).length === Object.keys(part).length;
    if (!isComplete) written[name] = mergeSettings({ [name]: base[name] }, { [name]: part })[name];
  }
  return written;
}

/** A variant whose parts are complete. */
export const Variant = z.strictObject({
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

/** A variant of a method under a new name: `from` (default GRPO) with some of the four dimensions changed. */
export const MethodVariant = z.preprocess(completeParts, Variant);
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
