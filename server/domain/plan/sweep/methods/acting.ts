import { canonicalJson } from "#trainer/spec/canonical.ts";
import { isCorrected } from "#trainer/spec/correction.ts";
import { effectiveAggregation, type Method, type MethodName, methodNames, methodOf } from "#trainer/spec/method.ts";
import { advantageTraits } from "#trainer/spec/traits.ts";

/** Returns the method as the trainer executes it, so that equivalent methods compare equal. */
export function actingMethod(method: Method): Method {
  const { clipping, correction, ...rest } = method;
  return {
    ...rest,
    ...(correction && isCorrected(correction) && { correction }),
    aggregation: effectiveAggregation(method),
    clipping: clipping.kind === "sequence" && actsPerRow(method) ? { ...clipping, credit: "row" } : clipping,
  };
}

/** Finds the published method that acts like this method. */
export function findPublished(method: Method): MethodName | undefined {
  const text = canonicalJson(actingMethod(method));
  return methodNames.find((name) => canonicalJson(actingMethod(methodOf(name))) === text);
}

/** Returns true if all tokens of a batch row share one advantage, which makes GSPO-token equal to GSPO. */
export function actsPerRow({ advantage }: Method): boolean {
  return advantageTraits[advantage.kind].credit === "row";
}
