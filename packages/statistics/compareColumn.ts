import { evidenceRules, starsOf, type Stars } from "./evidence.ts";
import { mannWhitneyTest } from "./mannWhitney.ts";
import { holm } from "./multiplicity.ts";
import { permutationTests } from "./permutationTest.ts";
import { mean } from "./summary.ts";
import { welchTest } from "./tTests.ts";

/** Tests of a column. None is paired: equal seeds do not share randomness. */
export type ColumnTest = "welch" | "permutation" | "mannWhitney";

export type Comparison = { correctedP: number; stars: Stars };

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
