import {
  type Interval,
  type Looks,
  nominalLevel,
  sequentialP,
  tUpperTail,
  tQuantile,
  mean,
  squaredDeviations,
  pairedTTest,
  hypergeometric,
  sumNoLikelier,
  type Count,
} from "#packages/statistics";
import { writeCollapses } from "#packages/detector";
import { looksWithin } from "#server/domain/runs/looks.ts";
import type { Undecided } from "#server/domain/runs/neededSeeds.ts";
import type { Context } from "./settings.ts";
import type { StudiedRun } from "./studiedRun.ts";

export type Side = { name: string; runs: readonly StudiedRun[] };

/** Compared group, with `n` of `numKnown` runs: those whose shared settings every other group has. */
type PartSide = {
  name: string;
  n: number;
  numKnown: number;
  runIds: readonly string[];
  /** Counted collapses in words, or a mean in the part's unit. */
  figure: string | { mean: number };
};

export type Part = {
  /** Question that names the measured quantity, and the group in which the claim expects more of it. */
  question: string;
  sides: readonly PartSide[];
  /** Unit of the compared metric, which may be `standardised`. */
  unit?: string;
  /** First mean minus second, with a 95 % interval; NaN if unknown. */
  difference: number;
  interval: { low: number; high: number };
  /** Two-sided p-value; with `numLooks`, it and the interval allow for that number of looks. */
  p: number;
  numLooks?: number;
  /** Precision of a comparison of two means that could be chance, from which the seeds that it needs are computed. */
  undecided?: Undecided;
  test: string;
  isPaired?: true;
  /** Number of combinations of shared settings, and number of runs without a match. */
  numContexts: number;
  numLeftOut: number;
  /** `chance`: enough runs, but the difference is not significant. */
  outcome: "supported" | "contradicted" | "chance" | "tooFew";
  reason?: string;
};

/** Unit of values in standard deviations within each environment. */
export const standardised = "SD";

export const minRuns = 5;
const level = 0.05;

/** `unit`: that of a measure that is never standardised. */
type Measure = { read: (run: StudiedRun) => number; context: Context; unit?: string };

/** Tests if the first group's mean is greater than the second's. */
export function compareMeans(question: string, sides: readonly [Side, Side], measure: Measure): Part {
  return contrast(question, sides, { ...measure, signs: [1, -1], test: "Welch's t" });
}

/** Tests if (a − b) − (c − d) > 0, with unequal variances. */
export function compareDifferences(question: string, sides: readonly [Side, Side, Side, Side], measure: Measure): Part {
  const test = "difference-in-differences, Welch–Satterthwaite";
  return contrast(question, sides, { ...measure, signs: [1, -1, -1, 1], test });
}

function contrast(
  question: string,
  sides: readonly Side[],
  { read, context, unit, signs, test }: Measure & { signs: readonly number[]; test: string },
): Part {
  const known = sides.map(({ name, runs }) => ({ name, runs: runs.filter((run) => Number.isFinite(read(run))) }));
  const matched = matchSides(known, context);
  const looks = looksOfStrata(matched.strata);
  const { means, standardError, ...found } = contrastWithin(
    matched.strata.map((stratum) => stratum.map((runs) => runs.map(read))),
    { signs, looks },
  );
  const information = matched.strata.reduce((sum, groups) => sum + 1 / sumInverse(groups), 0);
  const part = finish({
    question,
    sides: matched.sides.map((side, i) => ({
      ...nameSide(side, known[i]),
      figure: { mean: means[i] ?? NaN },
    })),
    ...(unit !== undefined && { unit }),
    ...found,
    ...countedLooks(looks),
    test: within(test, matched.strata.length),
    numContexts: matched.strata.length,
    numLeftOut: matched.numLeftOut,
  });
  const isOpen = part.outcome === "chance" && sides.length === 2;
  return isOpen ? { ...part, undecided: { standardError, information, looks } } : part;
}

function sumInverse(groups: readonly { length: number }[]): number {
  return groups.reduce((sum, { length }) => sum + 1 / length, 0);
}

function looksOfStrata(strata: Matched["strata"]): Looks {
  return looksWithin(strata.map((groups) => groups.map((runs) => runs.flatMap(({ drawn }) => drawn ?? []))));
}

const countedLooks = (looks: Looks) => (looks.length > 1 ? { numLooks: looks.length } : {});

export type Change = { run: StudiedRun; after: number; before: number };

/** Tests if mean success is greater after training than before it, paired by run. */
export function compareTimes(question: string, changes: readonly Change[]): Part {
  const known = changes.filter(({ after, before }) => Number.isFinite(after - before));
  const runIds = known.map(({ run }) => run.runId);
  const after = known.map((change) => change.after);
  const before = known.map((change) => change.before);
  const looks = looksOfStrata([[known.map(({ run }) => run)]]);
  const { difference, interval, p } = pairedTTest(after, before, 1 - nominalLevel(level, looks));
  const sides = [
    { name: "after training", values: after },
    { name: "before training", values: before },
  ];
  const numKnown = known.length;
  return finish({
    question,
    sides: sides.map(({ name, values }) => {
      return { name, n: numKnown, numKnown, figure: { mean: mean(values) }, runIds };
    }),
    unit: "fraction",
    difference,
    interval,
    p: sequentialP(p, looks),
    ...countedLooks(looks),
    test: "paired t",
    isPaired: true,
    numContexts: 1,
    numLeftOut: changes.length - numKnown,
  });
}

/** Tests if a greater fraction of runs collapses in the first group. */
export function compareCollapses(question: string, asked: readonly [Side, Side], context: Context): Part {
  const sides = asked.map(({ name, runs }) => ({ name, runs: runs.filter(({ isUnjudged }) => isUnjudged !== true) }));
  const matched = matchSides(sides, context);
  const count = (runs: readonly StudiedRun[] = []) => ({
    k: runs.filter(({ hasCollapsed }) => hasCollapsed).length,
    n: runs.length,
  });
  const tables = matched.strata.map(([a, b]) => [count(a), count(b)] as const);
  const { difference } = contrastWithin(
    matched.strata.map((stratum) => stratum.map((runs) => runs.map(({ hasCollapsed }) => (hasCollapsed ? 1 : 0)))),
    { signs: [1, -1] },
  );
  const looks = looksOfStrata(matched.strata);
  const part = finish({
    question,
    sides: matched.sides.map((side, i) => {
      const { k, n } = count(side.runs);
      const numUnclear = side.runs.filter(({ isUnclear }) => isUnclear).length;
      const figure = writeCollapses({ numJudged: n, numCollapsed: k, numUnclear }, "run");
      return { ...nameSide(side, sides[i]), figure };
    }),
    unit: "fraction",
    difference,
    interval: { low: NaN, high: NaN },
    p: tables.length > 0 ? sequentialP(fisherWithin(tables), looks) : NaN,
    ...countedLooks(looks),
    test: within("Fisher's exact", tables.length),
    numContexts: tables.length,
    numLeftOut: matched.numLeftOut,
  });
  const isQuiet = tables.every(([a, b]) => a.k + b.k === 0);
  const isEnough = part.sides.every(({ n }) => n >= minRuns);
  return isQuiet && isEnough ? { ...part, outcome: "tooFew", reason: "no run collapsed in either group" } : part;
}

function nameSide({ name, runs }: Side, whole: Side | undefined) {
  return { name, n: runs.length, numKnown: whole?.runs.length ?? 0, runIds: runs.map(({ runId }) => runId) };
}

function within(test: string, numContexts: number): string {
  return numContexts > 1 ? `${test}, stratified by ${numContexts} settings` : test;
}

function finish(part: Omit<Part, "outcome" | "reason">): Part {
  const few = part.sides.filter(({ n }) => n < minRuns);
  if (few.length > 0) {
    const counts = few.map(
      ({ name, n, numKnown }) => `${name} has ${n}${n < numKnown ? ` comparable runs out of ${numKnown}` : ""}`,
    );
    const reason = `each group needs at least ${minRuns} runs, but ${counts.join(" and ")}`;
    return { ...part, outcome: "tooFew", reason };
  }
  if (part.p < level) return { ...part, outcome: part.difference > 0 ? "supported" : "contradicted" };
  if (!Number.isNaN(part.p)) return { ...part, outcome: "chance", reason: "the difference could be due to chance" };
  return {
    ...part,
    outcome: "tooFew",
    reason: "the seeds of a setting gave identical results, or there are too few seeds to estimate the noise",
  };
}

type Matched = {
  /** Runs by shared settings, then by side; no inner list is empty. */
  strata: readonly (readonly (readonly StudiedRun[])[])[];
  sides: readonly Side[];
  /** Number of runs whose shared settings another side lacks. */
  numLeftOut: number;
};

/** Selects the runs whose shared settings occur in every compared group (side). */
function matchSides(sides: readonly Side[], context: Context): Matched {
  const byContext = new Map<string, StudiedRun[][]>();
  for (const [i, { runs }] of sides.entries()) {
    for (const run of runs) {
      const key = context(run);
      const stratum = byContext.get(key) ?? sides.map(() => []);
      stratum[i]?.push(run);
      byContext.set(key, stratum);
    }
  }
  const strata = [...byContext.values()].filter((stratum) => stratum.every(({ length }) => length > 0));
  const kept = sides.map(({ name }, i) => ({ name, runs: strata.flatMap((stratum) => stratum[i] ?? []) }));
  const count = (of: readonly Side[]) => of.reduce((sum, { runs }) => sum + runs.length, 0);
  return { strata, sides: kept, numLeftOut: count(sides) - count(kept) };
}

type Contrast = {
  /** Average over strata (runs with equal other settings) of each group's mean. */
  means: readonly number[];
  difference: number;
  standardError: number;
  interval: Interval;
  /** Two-sided p-value of the difference; NaN if no group varies within a stratum. */
  p: number;
};

/**
 * Estimates Σ sign × mean over groups within strata (runs with equal other settings), weighted by precision (Cochran: 1
 * / Σ 1/n). Each group has its own variance, pooled over strata, with Welch–Satterthwaite degrees of freedom. One
 * stratum of two groups gives Welch's t-test.
 * @param strata values by stratum, then by group; no list is empty
 */
export function contrastWithin(
  strata: readonly (readonly (readonly number[])[])[],
  { signs, looks = [] }: { signs: readonly number[]; looks?: Looks },
): Contrast {
  const weights = strata.map((stratum) => 1 / sumInverse(stratum));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const sides = signs.map((sign, s) => {
    const samples = strata.map((stratum) => stratum[s] ?? []);
    const centres = samples.map(mean);
    const squares = samples.map(squaredDeviations);
    const df = samples.reduce((sum, { length }) => sum + length - 1, 0);
    const variance = squares.reduce((sum, x) => sum + x, 0) / df;
    const share = weights.reduce((sum, weight, c) => sum + (weight / total) ** 2 / (samples[c]?.length ?? 0), 0);
    const centre = weights.reduce((sum, weight, c) => sum + (weight / total) * (centres[c] ?? NaN), 0);
    return { mean: total > 0 ? centre : NaN, signed: sign * centre, df, error: variance * share };
  });
  const squaredError = sides.reduce((sum, { error }) => sum + error, 0);
  const df = squaredError ** 2 / sides.reduce((sum, one) => sum + one.error ** 2 / one.df, 0);
  const error = Math.sqrt(squaredError);
  const difference = total > 0 ? sides.reduce((sum, { signed }) => sum + signed, 0) : NaN;
  const half = tQuantile(1 - nominalLevel(level, looks) / 2, df) * error;
  return {
    means: sides.map((side) => side.mean),
    difference,
    standardError: error,
    interval: { low: difference - half, high: difference + half },
    p: sequentialP(Math.min(1, 2 * tUpperTail(Math.abs(difference / error), df)), looks),
  };
}

/**
 * Returns the two-sided exact p for equal rates within strata: the probability, given each stratum's margins, of totals
 * no likelier than the observed one. One stratum gives Fisher's exact test.
 */
export function fisherWithin(strata: readonly (readonly [Count, Count])[]): number {
  // `likely[i]`: probability of the total `lowest + i`, a convolution of hypergeometric distributions.
  let [lowest, likely] = [0, [1]];
  for (const [a, b] of strata) {
    const { from, probabilities } = hypergeometric(a, b);
    const next = Array.from({ length: likely.length + probabilities.length - 1 }, () => 0);
    for (const [i, x] of likely.entries()) {
      for (const [j, y] of probabilities.entries()) next[i + j] = (next[i + j] ?? 0) + x * y;
    }
    [lowest, likely] = [lowest + from, next];
  }
  const total = strata.reduce((sum, [{ k }]) => sum + k, 0);
  return sumNoLikelier(likely, total - lowest);
}
