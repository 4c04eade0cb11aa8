import { type Rng, split } from "#trainer/spec/rng.ts";
import { choose } from "./permutationTest.ts";
import type { Duration, Stratum } from "./survival.ts";

/** `numArrangements`: how many p counts. */
type Permutation = { p: number; method: "exact" | "sampled"; numArrangements: number };
/** The scores of a stratum's runs, and how many of them are x's. */
type Scored = { scores: readonly number[]; numOfX: number };

/** More are not enumerated: so many are drawn. */
export const mostArrangements = 100_000;
/** Sums of the same scores in another order differ by rounding alone. */
const tolerance = 1e-9;

/**
 * Two-sided p of the stratified log-rank statistic by permutation: how many ways of dealing the runs of each stratum to
 * the two samples differ as much. All ways up to 100,000, otherwise that many drawn ones, the true one counted among them.
 * Observed less expected events of a sample are the sum of its runs' log-rank scores, which dealing leaves as they are.
 */
export function permuteLogRank(strata: readonly Stratum[], seed = 0): Permutation {
  const scored = strata.map(({ x, y }): Scored => ({ scores: logRankScores([...x, ...y]), numOfX: x.length }));
  const reached = Math.abs(scored.reduce((sum, { scores, numOfX }) => sum + sumOf(scores.slice(0, numOfX)), 0));
  const isExtreme = (sum: number): boolean => Math.abs(sum) >= reached - tolerance;
  const numAll = scored.reduce((product, { scores, numOfX }) => product * choose(scores.length, numOfX), 1);
  if (numAll <= mostArrangements) {
    return { p: countAll(scored, isExtreme) / numAll, method: "exact", numArrangements: numAll };
  }
  const rng = split(seed, "logRank");
  // Shuffled on and on: a shuffle of a shuffle is one.
  const orders = scored.map(({ scores, numOfX }) => ({ order: Float64Array.from(scores), numOfX }));
  let numExtreme = 1;
  for (let i = 1; i < mostArrangements; i++) {
    if (isExtreme(orders.reduce((sum, stratum) => sum + drawSum(stratum, rng), 0))) numExtreme += 1;
  }
  return { p: numExtreme / mostArrangements, method: "sampled", numArrangements: mostArrangements };
}

/** Of each run: whether it met the event, less the Nelson–Aalen estimate of all at its time. Their sum is 0. */
export function logRankScores(durations: readonly Duration[]): number[] {
  const events = [...new Set(durations.filter(({ isEvent }) => isEvent).map(({ time }) => time))];
  const hazards = events.map((at) => {
    const met = durations.filter(({ time, isEvent }) => isEvent && time === at).length;
    return { at, hazard: met / durations.filter(({ time }) => time >= at).length };
  });
  return durations.map(({ time, isEvent }) => {
    const cumulative = hazards.reduce((sum, { at, hazard }) => (at <= time ? sum + hazard : sum), 0);
    return (isEvent ? 1 : 0) - cumulative;
  });
}

/** How many of all ways of dealing every stratum are extreme. */
function countAll(strata: readonly Scored[], isExtreme: (sum: number) => boolean): number {
  let sums = [0];
  for (const stratum of strata) {
    const dealt = listSums(stratum);
    sums = sums.flatMap((sum) => dealt.map((more) => sum + more));
  }
  return sums.filter(isExtreme).length;
}

/** The sum of x's scores in every way of dealing. */
function listSums({ scores, numOfX }: Scored): number[] {
  const sums: number[] = [];
  const deal = (from: number, left: number, sum: number): void => {
    if (left === 0) sums.push(sum);
    else for (let i = from; i <= scores.length - left; i++) deal(i + 1, left - 1, sum + (scores[i] ?? 0));
  };
  deal(0, numOfX, 0);
  return sums;
}

/** Of one way that is drawn: the first places of a Fisher–Yates shuffle. */
function drawSum({ order, numOfX }: { order: Float64Array; numOfX: number }, rng: Rng): number {
  let sum = 0;
  for (let slot = 0; slot < numOfX; slot++) {
    const other = slot + rng.int(order.length - slot);
    const chosen = order[other] ?? 0;
    order[other] = order[slot] ?? 0;
    order[slot] = chosen;
    sum += chosen;
  }
  return sum;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
