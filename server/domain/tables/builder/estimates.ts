import { bootstrap } from "../../statistics/bootstrap.ts";
import { evidenceRules, toStars } from "../../statistics/evidence.ts";
import { mannWhitneyTest } from "../../statistics/mannWhitney.ts";
import { holm } from "../../statistics/multiplicity.ts";
import { permutationTest } from "../../statistics/permutationTest.ts";
import { meanInterval } from "../../statistics/studentT.ts";
import { mean, sem, std } from "../../statistics/summary.ts";
import { welchTest } from "../../statistics/tTests.ts";
import type { Estimate } from "../table.ts";
import type { FullOptions } from "./options.ts";

/** Mean and spread of the seeds of one cell: below three no interval, and below five none by bootstrap. */
export function estimate(values: readonly number[], interval: FullOptions["interval"]): Omit<Estimate, "marks"> {
  const n = values.length;
  const own = { mean: mean(values), std: std(values), n, stars: "" } as const;
  const { halfWidth } = meanInterval(values);
  const byT = n >= evidenceRules.forIntervals ? { low: own.mean - halfWidth, high: own.mean + halfWidth } : undefined;
  const range = interval === "bootstrap" ? bootstrapInterval(values) : byT;
  return { ...own, ...(range && { interval: range }), shown: toShown() };

  function toShown(): Estimate["shown"] {
    switch (interval) {
      case "none":
        return { kind: "none" };
      case "std":
        return n >= 2 ? { kind: "plusMinus", value: own.std } : { kind: "none" };
      case "sem":
        return byT ? { kind: "plusMinus", value: sem(values) } : { kind: "none" };
      case "t":
        return byT ? { kind: "plusMinus", value: halfWidth } : { kind: "none" };
      case "bootstrap":
        return range ? { kind: "interval", ...range } : { kind: "none" };
    }
  }
}

/** Of three seeds it would cover 75% instead of 95%, of five 85%. */
function bootstrapInterval(values: readonly number[]): { low: number; high: number } | undefined {
  if (values.length < evidenceRules.forStars) return undefined;
  return bootstrap([values], ([own = []]) => mean(own)).interval;
}

/** Tests of a column; equal seeds share nothing that would make a paired one right. */
export type ColumnTest = "welch" | "permutation" | "mannWhitney";

export type Comparison = { correctedP: number; stars: Estimate["stars"] };

type Sides = { samples: readonly (readonly number[])[]; baseline: readonly number[]; better: "up" | "down" | "none" };

/**
 * Every sample against the baseline, two-sided, corrected by Holm over all that could be tested. Stars are for those that
 * are better, where a direction is; undefined where seeds are too few for a test.
 */
export function compare({ samples, baseline, better }: Sides, test: ColumnTest): (Comparison | undefined)[] {
  const raw = samples.map((values) =>
    Math.min(values.length, baseline.length) < evidenceRules.forIntervals ? NaN : pOf(values, baseline, test),
  );
  const corrected = holm(raw);
  const sign = better === "down" ? -1 : 1;
  return samples.map((values, i) => {
    const correctedP = corrected[i] ?? NaN;
    if (Number.isNaN(correctedP)) return undefined;
    const isBetter = better === "none" || sign * (mean(values) - mean(baseline)) > 0;
    return { correctedP, stars: isBetter ? toStars(correctedP, Math.min(values.length, baseline.length)) : "" };
  });
}

function pOf(x: readonly number[], y: readonly number[], test: ColumnTest): number {
  switch (test) {
    case "permutation":
      return permutationTest(x, y).p;
    case "mannWhitney":
      return mannWhitneyTest(x, y).p;
    case "welch":
      return welchTest(x, y).p;
  }
}
