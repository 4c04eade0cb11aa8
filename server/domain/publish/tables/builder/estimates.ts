import { evidenceRules, withinRates, type Interval, meanInterval, mean, sem, std } from "#packages/statistics";
import type { Estimate } from "../table.ts";
import type { FullOptions } from "./options.ts";

/**
 * Mean and spread over the seeds of one cell; no interval below three. @param byBootstrap bootstrap interval; undefined
 * if it has none, or another is requested @param isRate clips t intervals of rates to [0, 1]
 */
export function estimate(
  values: readonly number[],
  interval: FullOptions["interval"],
  { byBootstrap, isRate }: { byBootstrap: Interval | undefined; isRate: boolean },
): Omit<Estimate, "marks"> {
  const n = values.length;
  const moments = { mean: mean(values), std: std(values), n, stars: "" } as const;
  const { halfWidth } = meanInterval(values);
  const around =
    n >= evidenceRules.forIntervals ? { low: moments.mean - halfWidth, high: moments.mean + halfWidth } : undefined;
  const byT = around && (isRate ? withinRates(around) : around);
  const range = interval === "bootstrap" ? byBootstrap : byT;
  return { ...moments, ...(range && { interval: range }), shown: toShown() };

  function toShown(): Estimate["shown"] {
    switch (interval) {
      case "none":
        return { kind: "none" };
      case "std":
        return n >= 2 ? { kind: "plusMinus", value: moments.std } : { kind: "none" };
      case "sem":
        return byT ? { kind: "plusMinus", value: sem(values) } : { kind: "none" };
      case "t":
        if (!byT) return { kind: "none" };
        return byT.low !== around.low || byT.high !== around.high
          ? { kind: "interval", ...byT }
          : { kind: "interval", ...byT, halfWidth };
      case "bootstrap":
        return range ? { kind: "interval", ...range } : { kind: "none" };
    }
  }
}
