import { evidenceRules, starsOf } from "#server/domain/statistics/evidence.ts";
import { mannWhitneyTest } from "#server/domain/statistics/mannWhitney.ts";
import { holm } from "#server/domain/statistics/multiplicity.ts";
import { permutationTests } from "#server/domain/statistics/permutationTest.ts";
import { withinRates, type Interval } from "#server/domain/statistics/rates.ts";
import { meanInterval } from "#server/domain/statistics/studentT.ts";
import { mean, sem, std } from "#server/domain/statistics/summary.ts";
import { welchTest } from "#server/domain/statistics/tTests.ts";
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

/** Tests of a column. None is paired: equal seeds do not share randomness. */
export type ColumnTest = "welch" | "permutation" | "mannWhitney";

export type Comparison = { correctedP: number; stars: Estimate["stars"] };

type Sides = { samples: readonly (readonly number[])[]; baseline: readonly number[]; better: "up" | "down" | "none" };

/**
 * Compares every sample with the baseline, two-sided, with Holm's correction over all possible tests. Stars go to those
 * that are better; without a direction all keep theirs, unprinted, as part of the proof. Undefined with too few seeds
 * for a test.
 */
export function compare({ samples, baseline, better }: Sides, test: ColumnTest): (Comparison | undefined)[] {
  const tested = samples.filter((values) => Math.min(values.length, baseline.length) >= evidenceRules.forIntervals);
  const pOf = new Map(pValues(tested, baseline, test).map((p, i) => [tested[i], p]));
  const raw = samples.map((values) => pOf.get(values) ?? NaN);
  const corrected = holm(raw);
  const sign = better === "down" ? -1 : 1;
  return samples.map((values, i) => {
    const correctedP = corrected[i] ?? NaN;
    if (Number.isNaN(correctedP)) return undefined;
    const isBetter = better === "none" || sign * (mean(values) - mean(baseline)) > 0;
    return { correctedP, stars: isBetter ? starsOf(correctedP, values, baseline) : "" };
  });
}

function pValues(samples: readonly (readonly number[])[], y: readonly number[], test: ColumnTest): number[] {
  switch (test) {
    case "permutation":
      return permutationTests(samples.map((x) => ({ x, y }))).map(({ p }) => p);
    case "mannWhitney":
      return samples.map((x) => mannWhitneyTest(x, y).p);
    case "welch":
      return samples.map((x) => welchTest(x, y).p);
  }
}
