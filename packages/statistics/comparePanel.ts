import { comparePairs, type Pair, type PairOptions, pOf, type TestKind } from "./comparePair.ts";
import { type Evidence, evidenceRules, explainEvidence, judgeEvidence, type Stars, starsOf } from "./evidence.ts";
import { type Looks, sequentialP } from "./groupSequential.ts";
import { mannWhitneyTest, welchTest } from "./twoSampleTests.ts";
import { holm } from "./multiplicity.ts";
import type { MethodScores, PanelScores } from "./panels.ts";
import { permutationTests } from "./permutationTest.ts";
import { type Interval, wilsonInterval, withinRates } from "./rates.ts";
import { meanInterval } from "./distributions.ts";
import { interquartileMean, isConstant, lowerTailMean, mean, median, sem, std } from "./summary.ts";

export type MethodSummary = {
  method: string;
  seeds: readonly string[];
  n: number;
  /** Number of runs without a value (missing or diverged). Missing values are never imputed. */
  numMissing: number;
  numEvaluations: readonly number[];
  mean: number;
  std: number;
  sem: number;
  /** t interval of the mean, clipped to [0, 1] for rates. NaN below three seeds or if all values are equal. */
  interval: Interval;
  median: number;
  iqm: number;
  /** Mean over the worst fifth of the seeds; the worst are the highest values if lower is better. */
  worstFifth: number;
  /** True if all seeds have the same value, so that a t-test has no variance to use. */
  isConstant: boolean;
  collapses?: { k: number; n: number; interval: Interval };
  evidence: Evidence;
  explanation: string;
  /** Comparison with the baseline; undefined for the baseline itself, and in panels without a baseline. */
  against?: Pair & { p: number; correctedP: number; stars: Stars; pairing: "paired" | "unpaired" };
};

export type Panel = {
  env: string;
  subtask: string;
  /** Test whose p-value is corrected for multiplicity and shown with stars. */
  test: TestKind;
  /** Number of methods compared with the baseline: the family of Holm's correction. */
  numCompared: number;
  methods: readonly MethodSummary[];
};

export type PanelOptions = PairOptions & {
  baseline: string;
  test: TestKind | "auto";
  /** True if the values are rates, whose interval of the mean is clipped to [0, 1]. */
  isRate: boolean;
};

export function comparePanel({ env, subtask, methods }: PanelScores, options: PanelOptions): Panel {
  const samples = methods.map((entry) => ({ summary: summarise(entry, options), sample: toSample(entry) }));
  const baseline = samples.find(({ summary }) => summary.method === options.baseline);
  const hasCollapses = samples.some(({ summary }) => (summary.collapses?.k ?? 0) > 0);
  // Collapsed seeds make values bimodal, which inflates a t-test's variance; a permutation test is then better.
  const test = options.test === "auto" ? (hasCollapses ? "permutation" : "welch") : options.test;
  const others = samples.filter((entry) => entry !== baseline);
  const compared = baseline
    ? comparePairs(
        others.map(({ sample }) => sample),
        baseline.sample,
        options,
      )
    : [];
  const pairs = samples.map((entry) => compared[others.indexOf(entry)]);
  const corrected = holm(pairs.map((pair) => (pair ? pOf(pair, test) : NaN)));
  return {
    env,
    subtask,
    test,
    numCompared: corrected.filter((p) => !Number.isNaN(p)).length,
    methods: samples.map(({ summary, sample }, i) => {
      const pair = pairs[i];
      if (!pair || !baseline) return summary;
      const correctedP = corrected[i] ?? NaN;
      const stars = starsOf(correctedP, sample.values, baseline.sample.values);
      return { ...summary, against: { ...pair, ...differenceBy(pair, test), p: pOf(pair, test), correctedP, stars } };
    }),
  };
}

/** Difference and interval that belong to the test with stars. The paired test uses pairs with equal seeds. */
function differenceBy({ difference, interval, tests: { paired } }: Pair, test: TestKind) {
  return test === "paired" && paired
    ? { difference: paired.difference, interval: paired.interval, pairing: "paired" as const }
    : { difference, interval, pairing: "unpaired" as const };
}

function summarise({ method, scores }: MethodScores, { level, better, isRate }: PanelOptions): MethodSummary {
  const { values, collapses } = toSample({ method, scores });
  const evidence = judgeEvidence(values.length);
  const { mean: centre, halfWidth } = meanInterval(values, level);
  const reach = evidence === "none" || isConstant(values) ? NaN : halfWidth;
  const around = { low: centre - reach, high: centre + reach };
  const sign = better === "down" ? -1 : 1;
  return {
    method,
    seeds: scores.map(({ seed }) => seed),
    n: values.length,
    numMissing: scores.length - values.length,
    numEvaluations: [...new Set(scores.flatMap(({ numEvaluations }) => numEvaluations ?? []))].sort((a, b) => a - b),
    mean: mean(values),
    std: std(values),
    sem: sem(values),
    interval: isRate && Number.isFinite(reach) ? withinRates(around) : around,
    median: median(values),
    iqm: interquartileMean(values),
    worstFifth: sign * lowerTailMean(values.map((value) => sign * value)),
    isConstant: isConstant(values),
    ...(collapses && { collapses: { ...collapses, interval: wilsonInterval(collapses.k, collapses.n) } }),
    evidence,
    explanation: explainEvidence(values.length),
  };
}

function toSample({ scores }: MethodScores) {
  const finite = scores.filter(({ value }) => Number.isFinite(value));
  const judged = scores.filter(({ isCollapsed }) => isCollapsed !== undefined);
  const k = judged.filter(({ isCollapsed }) => isCollapsed).length;
  return {
    values: finite.map(({ value }) => value),
    collapses: judged.length === 0 ? undefined : { k, n: judged.length },
    bySeed: new Map(finite.map(({ seed, value }) => [seed, value])),
  };
}

/** Tests that a table may use for its columns. No test is paired, because equal seeds do not share randomness. */
export type ColumnTest = "welch" | "permutation" | "mannWhitney";

type Comparison = { correctedP: number; stars: Stars };

type Sides = {
  samples: readonly (readonly number[])[];
  baseline: readonly number[];
  better: "up" | "down" | "none";
  /** Looks at each sample's difference from the baseline, if seeds were added after one. */
  looks?: readonly Looks[];
};

/**
 * Compares every sample with the baseline by two-sided tests, with Holm's correction over all tests that are
 * possible. Only samples that are better get stars. If `better` has no direction, all keep their stars, which are
 * stored but not printed. An entry is undefined if there are too few seeds for a test.
 */
export function compare(
  { samples, baseline, better, looks = [] }: Sides,
  test: ColumnTest,
): (Comparison | undefined)[] {
  const tested = samples.filter((values) => Math.min(values.length, baseline.length) >= evidenceRules.forIntervals);
  const pOf = new Map(pValues(tested, baseline, test).map((p, i) => [tested[i], p]));
  const raw = samples.map((values, i) => sequentialP(pOf.get(values) ?? NaN, looks[i] ?? []));
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
