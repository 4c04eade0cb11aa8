import { bootstrapImprovement, cliffDelta, cohenD, glassDelta, hedgesG, relativeDifference } from "./effectSize.ts";
import { judgeEvidence, type Evidence } from "./evidence.ts";
import {
  type Count,
  fisherTest,
  type MannWhitney,
  mannWhitneyTest,
  pairedTTest,
  type TTest,
  welchTest,
} from "./twoSampleTests.ts";
import { permutationTests, type PermutationTest } from "./permutationTest.ts";
import type { Interval } from "./rates.ts";
import { mean } from "./summary.ts";

/** All tests are computed; only the chosen one's p is corrected for multiplicity and shown with stars. */
export type TestKind = "welch" | "permutation" | "mannWhitney" | "paired";

export type PairOptions = { level: number; seed: number; numResamples: number; better: "up" | "down" };

/** Comparison of one method with the baseline. Below 3 seeds, test and interval are NaN. */
export type Pair = {
  evidence: Evidence;
  difference: number;
  interval: Interval;
  relative: { value: number; interval: Interval };
  effects: { cohenD: number; hedgesG: number; glassDelta: number; cliffDelta: number };
  tests: { welch: TTest; permutation: PermutationTest; mannWhitney: MannWhitney; paired?: TTest };
  /** Probability that a run of the method beats a run of the baseline, with a bootstrap interval. */
  improvement: { value: number; interval: Interval };
  /** p-value of Fisher's exact test for equal collapse rates. */
  collapseP?: number;
};

export type Sample = { values: readonly number[]; collapses?: Count | undefined; bySeed: ReadonlyMap<string, number> };

/** Compares each sample with the baseline. Permutation tests of equal sample sizes share their random arrangements. */
export function comparePairs(samples: readonly Sample[], baseline: Sample, options: PairOptions): Pair[] {
  const testable = samples.map((x) =>
    judgePair(x, baseline) === "none" ? { x: [], y: [] } : { x: x.values, y: baseline.values },
  );
  const permutations = permutationTests(testable, options.seed);
  return samples.flatMap((x, i) => {
    const permutation = permutations[i];
    return permutation ? [comparePair({ x, baseline, permutation }, options)] : [];
  });
}

type PairSamples = { x: Sample; baseline: Sample; permutation: PermutationTest };

function comparePair({ x, baseline, permutation }: PairSamples, options: PairOptions): Pair {
  const evidence = judgePair(x, baseline);
  const [a, b] = evidence === "none" ? [[], []] : [x.values, baseline.values];
  const { level, seed, numResamples, better } = options;
  const welch = welchTest(a, b, level);
  const sign = better === "down" ? -1 : 1;
  const [up, baselineUp] = [a, b].map((values) => values.map((value) => sign * value));
  const improvement =
    evidence === "none"
      ? { estimate: NaN, interval: none }
      : bootstrapImprovement([up ?? []], [baselineUp ?? []], { level, seed, numResamples });
  const paired = pairSeeds(x, baseline);
  return {
    evidence,
    difference: mean(x.values) - mean(baseline.values),
    interval: welch.interval,
    relative: evidence === "none" ? { value: NaN, interval: none } : relativeDifference(a, b, level),
    effects: {
      cohenD: cohenD(a, b),
      hedgesG: hedgesG(a, b),
      glassDelta: glassDelta(a, b),
      cliffDelta: cliffDelta(a, b),
    },
    tests: {
      welch,
      permutation,
      mannWhitney: mannWhitneyTest(a, b),
      ...(paired.length >= 3 && {
        paired: pairedTTest(
          paired.map(([first]) => first),
          paired.map(([, other]) => other),
          level,
        ),
      }),
    },
    improvement: { value: improvement.estimate, interval: improvement.interval },
    ...(x.collapses && baseline.collapses && { collapseP: fisherTest(x.collapses, baseline.collapses) }),
  };
}

function judgePair(x: Sample, baseline: Sample): Evidence {
  return judgeEvidence(Math.min(x.values.length, baseline.values.length));
}

const none: Interval = { low: NaN, high: NaN };

export function pOf({ tests }: Pair, kind: TestKind): number {
  return tests[kind]?.p ?? NaN;
}

function pairSeeds(x: Sample, y: Sample): [number, number][] {
  return Array.from(x.bySeed).flatMap(([seed, value]): [number, number][] => {
    const other = y.bySeed.get(seed);
    return other === undefined ? [] : [[value, other]];
  });
}
