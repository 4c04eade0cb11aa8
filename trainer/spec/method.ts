import type { Aggregation } from "./dimensions.ts";
import { comparedMethods } from "./methods/compared.ts";
import type { NamedMethod } from "./methods/namedMethod.ts";
import { offPolicyMethods } from "./methods/offPolicy.ts";
import type { Method } from "./methodSchema.ts";
import { clippingTraits } from "./traits.ts";

// Defined in a file of its own: pages that only name methods do not load zod.
export type { Method };

/**
 * Every named method and its published defaults, one row each. A level shared by several methods takes its defaults
 * from the first row. The methods that ARLArena compares come first.
 */
export const methods = { ...comparedMethods, ...offPolicyMethods } as const satisfies Record<string, NamedMethod>;

export type MethodName = keyof typeof methods;
export const methodNames = Object.keys(methods).filter(isMethodName);

export function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(methods, name);
}

/** The four dimensions of a named method, and the references' aggregation of KL and entropy, without its texts. */
export function methodOf(name: MethodName): Method {
  const { title: _title, latex: _latex, paper: _paper, summary: _summary, ...method }: NamedMethod = methods[name];
  return withPenalties(method);
}

/**
 * Adds the references' aggregation of KL and entropy to a method, if it differs from the policy term's (in verl's and
 * ARLArena's actors). There, one setting controls every aggregation that a loss leaves open. GSPO's and GMPO's policy
 * term is always a mean over rows, while the setting stays the mean over tokens. Dr. GRPO sets it to the sum over a
 * row's tokens, and divides only its policy term by the length limit.
 */
export function withPenalties(method: Method): Method {
  if (method.penaltyAggregation !== undefined) return method;
  if (fixedAggregation(method) !== null) {
    return { ...method, penaltyAggregation: "tokenMean" };
  }
  if (method.aggregation === "seqMeanTokenSumNorm") return { ...method, penaltyAggregation: "seqMeanTokenSum" };
  return method;
}

/** Aggregation of KL and entropy. */
export function penaltyAggregationOf(method: Method): Aggregation {
  return method.penaltyAggregation ?? effectiveAggregation(method);
}

/** The effective aggregation: a ratio of a whole turn is averaged per turn whatever the setting (as in verl). */
export function effectiveAggregation(method: Method): Aggregation {
  return fixedAggregation(method) ?? method.aggregation;
}

/** Aggregation forced by a clipping kind; null: the method's. GSPO's ratio summed over a row is LUSPO. */
export function fixedAggregation({
  clipping,
  aggregation,
}: Pick<Method, "clipping" | "aggregation">): Aggregation | null {
  if (clipping.kind === "sequence" && aggregation === "seqMeanTokenSum") return null;
  return clippingTraits[clipping.kind].fixesAggregation;
}
