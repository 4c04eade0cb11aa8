import type { Aggregation } from "./dimensions.ts";
import { comparedMethods } from "./methods/compared.ts";
import type { NamedMethod } from "./methods/namedMethod.ts";
import { offPolicyMethods } from "./methods/offPolicy.ts";
import type { Method } from "./methodSchema.ts";
import { clippingTraits } from "./traits.ts";

// The schema is in another file, so that browser code that imports this file does not load zod.
export type { Method };

/** Named methods, ARLArena's first. A kind in a dimension takes its defaults from the first method of that kind. */
export const methods = { ...comparedMethods, ...offPolicyMethods } as const satisfies Record<string, NamedMethod>;

export type MethodName = keyof typeof methods;
export const methodNames = Object.keys(methods).filter(isMethodName);

export function isMethodName(name: string): name is MethodName {
  return Object.hasOwn(methods, name);
}

/** Returns a named method's settings in the four dimensions and its aggregation of KL and entropy. */
export function methodOf(name: MethodName): Method {
  const { title: _title, latex: _latex, paper: _paper, summary: _summary, ...method }: NamedMethod = methods[name];
  return withPenalties(method);
}

/** Returns the LaTeX form of a method's title: `GRPO$_{\mathrm{ST}}$` for `GRPO_ST`. */
export function latexOf(name: MethodName): string {
  const { title, latex }: NamedMethod = methods[name];
  return latex ?? title.replace(/_(\w+)$/, String.raw`$$_{\mathrm{$1}}$$`);
}

/**
 * Adds the aggregation of the KL and entropy terms to a method, if verl's and ARLArena's code aggregates them
 * differently from the policy term. In that code, one setting aggregates every term that has no fixed aggregation.
 * GSPO's and GMPO's policy term is always a mean over rows, but their KL and entropy use the default, the mean over
 * tokens. Dr. GRPO sets the sum over a row's tokens, and divides only its policy term by the length limit.
 */
export function withPenalties(method: Method): Method {
  if (method.penaltyAggregation !== undefined) return method;
  if (fixedAggregation(method) !== null) return { ...method, penaltyAggregation: "tokenMean" };
  if (method.aggregation === "seqMeanTokenSumNorm") return { ...method, penaltyAggregation: "seqMeanTokenSum" };
  return method;
}

export function penaltyAggregationOf(method: Method): Aggregation {
  return method.penaltyAggregation ?? effectiveAggregation(method);
}

/** Returns the aggregation of a method's policy term, which some kinds of clipping prescribe. */
export function effectiveAggregation(method: Method): Aggregation {
  return fixedAggregation(method) ?? method.aggregation;
}

/** Returns the aggregation that a clipping prescribes, or null. GSPO with a sum over the row is LUSPO. */
export function fixedAggregation({
  clipping,
  aggregation,
}: Pick<Method, "clipping" | "aggregation">): Aggregation | null {
  if (clipping.kind === "sequence" && aggregation === "seqMeanTokenSum") return null;
  return clippingTraits[clipping.kind].fixesAggregation;
}
