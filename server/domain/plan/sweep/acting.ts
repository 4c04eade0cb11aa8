import { isCorrected } from "#trainer/spec/correction.ts";
import { effectiveAggregation, type Method } from "#trainer/spec/method.ts";
import { advantageTraits } from "#trainer/spec/traits.ts";

/**
 * Returns the method as the trainer executes it. A setting that another setting overrides has the overriding value,
 * so that equivalent methods compare equal.
 */
export function actingMethod(method: Method): Method {
  const { clipping, correction, ...rest } = method;
  return {
    ...rest,
    // An importance correction without any effect is omitted.
    ...(correction && isCorrected(correction) && { correction }),
    aggregation: effectiveAggregation(method),
    clipping: clipping.kind === "sequence" && actsPerRow(method) ? { ...clipping, credit: "row" } : clipping,
  };
}

/** Returns true if all tokens of a batch row share one advantage, which makes GSPO-token equal to GSPO. */
export function actsPerRow({ advantage }: Method): boolean {
  return advantageTraits[advantage.kind].credit === "row";
}
