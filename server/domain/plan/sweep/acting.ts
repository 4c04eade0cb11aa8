import { isCorrected } from "#trainer/spec/correction.ts";
import { effectiveAggregation, type Method } from "#trainer/spec/method.ts";
import { advantageTraits } from "#trainer/spec/traits.ts";

/**
 * The method as the trainer executes it: settings overridden by a coupling take the overriding value, so that
 * equivalent methods compare equal.
 */
export function actingMethod(method: Method): Method {
  const { clipping, correction, ...rest } = method;
  return {
    ...rest,
    // A correction without any effect is dropped.
    ...(correction && isCorrected(correction) && { correction }),
    aggregation: effectiveAggregation(method),
    clipping: clipping.kind === "sequence" && actsPerRow(method) ? { ...clipping, credit: "row" } : clipping,
  };
}

/** True where all tokens of a row share one advantage; GSPO-token then equals GSPO. */
export function actsPerRow({ advantage }: Method): boolean {
  return advantageTraits[advantage.kind].credit === "row";
}
