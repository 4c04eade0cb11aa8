import type { Aggregation } from "./dimensions.ts";
import { comparedMethods } from "./methods/compared.ts";
import type { NamedMethod } from "./methods/namedMethod.ts";
import { offPolicyMethods } from "./methods/offPolicy.ts";
import type { Method } from "./methodSchema.ts";
import { clippingTraits } from "./traits.ts";

// The schema is a file of its own: pages that only name methods need no library of schemas.
export type { Method };

/**
 * Every named method and its published defaults. A new method is a row. A level that several have takes its defaults from the first,
 * so those that ARLArena compares come first.
 */
export const methods = { ...comparedMethods, ...offPolicyMethods } as const satisfies Record<string, NamedMethod>;

export type MethodName = keyof typeof methods;
export const methodNames = Object.keys(methods).filter(isMethodName);

export function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(methods, name);
}

/** The four dimensions of a named method and how its references aggregate KL and entropy, without its texts. */
export function methodOf(name: MethodName): Method {
  const { title: _title, latex: _latex, paper: _paper, summary: _summary, ...method }: NamedMethod = methods[name];
  return withPenalties(method);
}

/**
 * A point of the four dimensions with the aggregation of KL and entropy that the references give it, where that is not
 * the policy term's (verl's and ARLArena's actors). There, one setting aggregates what a loss leaves to it: GSPO's
 * and GMPO's policy term is a mean over rows whatever the setting, which stays the mean over tokens; Dr. GRPO makes it
 * the sum over a row's tokens, and divides its policy term alone by the length limit.
 */
export function withPenalties(method: Method): Method {
  if (method.penaltyAggregation !== undefined) return method;
  if (fixedAggregation(method) !== null) {
    return { ...method, penaltyAggregation: "tokenMean" };
  }
  if (method.aggregation === "seqMeanTokenSumNorm") return { ...method, penaltyAggregation: "seqMeanTokenSum" };
  return method;
}

/** Over what KL and entropy are averaged. */
export function penaltyAggregationOf(method: Method): Aggregation {
  return method.penaltyAggregation ?? effectiveAggregation(method);
}

/** The aggregation that really acts: a ratio of a whole turn is averaged per turn whatever was asked for (as in verl). */
export function effectiveAggregation(method: Method): Aggregation {
  return fixedAggregation(method) ?? method.aggregation;
}

/** What a clipping kind makes of the aggregation; null: the method's. GSPO's ratio summed over a row's tokens is LUSPO. */
export function fixedAggregation({
  clipping,
  aggregation,
}: Pick<Method, "clipping" | "aggregation">): Aggregation | null {
  if (clipping.kind === "sequence" && aggregation === "seqMeanTokenSum") return null;
  return clippingTraits[clipping.kind].fixesAggregation;
}
