import { isCorrected } from "#trainer/spec/correction.ts";
import { effectiveAggregation, type Method } from "#trainer/spec/method.ts";
import { advantageTraits } from "#trainer/spec/traits.ts";

/** The method that really acts: what a coupling overrides takes the value it is overridden with, so that equals are equal. */
export function actingMethod(method: Method): Method {
  const { clipping, correction, ...rest } = method;
  return {
    ...rest,
    // A correction of nothing is none.
    ...(correction && isCorrected(correction) && { correction }),
    aggregation: effectiveAggregation(method),
    clipping: clipping.kind === "sequence" && actsPerRow(method) ? { ...clipping, credit: "row" } : clipping,
  };
}

/** Whether all tokens of a row share one advantage. GSPO-token is GSPO then. */
export function actsPerRow({ advantage }: Method): boolean {
  return advantageTraits[advantage.kind].credit === "row";
}
