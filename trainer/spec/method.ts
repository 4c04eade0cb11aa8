import type { Aggregation } from "./dimensions.ts";
import { comparedMethods } from "./methods/compared.ts";
import type { NamedMethod } from "./methods/namedMethod.ts";
import { offPolicyMethods } from "./methods/offPolicy.ts";
import type { Method } from "./methodSchema.ts";
import { clippingTraits } from "./traits.ts";

// The schema is in a file of its own, so that pages that import this file do not load zod.
export type { Method };

/**
 * Every named method with its published defaults. If several methods have the same kind in a dimension, its defaults
 * come from the first of these methods. The methods that ARLArena compares come first.
 */
export const methods = { ...comparedMethods, ...offPolicyMethods } as const satisfies Record<string, NamedMethod>;

export type MethodName = keyof typeof methods;
export const methodNames = Object.keys(methods).filter(isMethodName);

export function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(methods, name);
}

/** The four dimensions of a named method and its aggregation of KL and entropy, without title and summary. */
export function methodOf(name: MethodName): Method {
  const { title: _title, latex: _latex, paper: _paper, summary: _summary, ...method }: NamedMethod = methods[name];
  return withPenalties(method);
}

/**
 * Adds the aggregation of the KL and entropy terms, if verl's and ARLArena's code aggregates them differently from the
 * policy term. In that code, one setting aggregates every term that has no fixed aggregation. GSPO's and GMPO's policy
 * term is always a mean over rows, but their KL and entropy use the default, the mean over tokens. Dr. GRPO sets the
 * sum over a row's tokens, and divides only its policy term by the length limit.
 */
export function withPenalties(method: Method): Method {
  if (method.penaltyAggregation !== undefined) return method;
  if (fixedAggregation(method) !== null) {
    return { ...method, penaltyAggregation: "tokenMean" };
  }
  if (method.aggregation === "seqMeanTokenSumNorm") return { ...method, penaltyAggregation: "seqMeanTokenSum" };
  return method;
}

/** Aggregation of the KL and entropy terms. */
export function penaltyAggregationOf(method: Method): Aggregation {
  return method.penaltyAggregation ?? effectiveAggregation(method);
}

/**
 * Aggregation of the policy term. Kinds with one ratio per turn average per turn, regardless of the setting (as in
 * verl).
 */
export function effectiveAggregation(method: Method): Aggregation {
  return fixedAggregation(method) ?? method.aggregation;
}

/**
 * Aggregation that a clipping kind prescribes; null if the method can choose. GSPO with a sum over the row is LUSPO.
 */
export function fixedAggregation({
  clipping,
  aggregation,
}: Pick<Method, "clipping" | "aggregation">): Aggregation | null {
  if (clipping.kind === "sequence" && aggregation === "seqMeanTokenSum") return null;
  return clippingTraits[clipping.kind].fixesAggregation;
}
