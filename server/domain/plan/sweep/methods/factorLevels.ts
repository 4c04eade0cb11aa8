import type { Method } from "#trainer/spec/method.ts";
import { sequenceMaskOf } from "#trainer/spec/traits.ts";
import { actingMethod } from "./acting.ts";

/** The four dimensions as factors of an analysis, in the order of all tables and plots. */
export const dimensionFactors = ["aggregation", "clipping", "advantage", "sampling"] as const;

/** Returns the method's acting choice in each dimension. Parameters do not define levels; masks and corrections do. */
export function factorLevels(method: Method): Record<(typeof dimensionFactors)[number], string> {
  const { aggregation, clipping, advantage, sampling, correction } = actingMethod(method);
  return {
    aggregation,
    clipping: `${clipping.kind}${sequenceMaskOf(clipping) ? "+mask" : ""}${correction ? "+correction" : ""}`,
    advantage: advantage.kind,
    sampling: sampling.kind,
  };
}
