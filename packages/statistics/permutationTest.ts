import { type Rng, split } from "#trainer/spec/rng.ts";
import { mean } from "./summary.ts";

export type PermutationTest = { difference: number; p: number; numArrangements: number; method: "exact" | "sampled" };

const maxArrangements = 100_000;

type Pair = { x: readonly number[]; y: readonly number[] };

/**
 * Tests the difference of means by a two-sided permutation test. p is the fraction of assignments of values to the
 * two samples that are at least as extreme. Up to 100,000 assignments are enumerated. If there are more, that many
 * are sampled, including the observed one. @testing
 */
export function permutationTest(x: readonly number[], y: readonly number[], seed = 0): PermutationTest {
  const [only] = permutationTests([{ x, y }], seed);
  if (!only) throw new Error("one pair gives one test");
  return only;
}

/** Applies `permutationTest` to several pairs of samples. Pairs of equal sizes share their sampled arrangements. */
export function permutationTests(pairs: readonly Pair[], seed = 0): PermutationTest[] {
  const deals = pairs.map(({ x, y }) => toDeal(x, y));
  const drawn = deals.filter(({ method }) => method === "sampled");
  const sizes = new Set(drawn.map(({ numOfX, pooled }) => `${numOfX} of ${pooled.length}`));
  const numExtreme = new Map<Deal, number>();
  for (const size of sizes) {
    const alike = drawn.filter(({ numOfX, pooled }) => `${numOfX} of ${pooled.length}` === size);
    for (const [i, count] of countDrawn(alike, seed).entries()) {
      const deal = alike[i];
      if (deal) numExtreme.set(deal, count);
    }
  }
  return deals.map((deal) => {
    const { difference, numArrangements, method } = deal;
    if (numArrangements === 0) return { difference, p: NaN, numArrangements, method };
    const count = numExtreme.get(deal) ?? countSums(deal.pooled, deal.numOfX, (sum) => isExtreme(sum, deal));
    return { difference, p: count / numArrangements, numArrangements, method };
  });
}

type Deal = {
  pooled: readonly number[];
  numOfX: number;
  total: number;
  difference: number;
  reached: number;
  numArrangements: number;
  method: PermutationTest["method"];
};

function toDeal(x: readonly number[], y: readonly number[]): Deal {
  const pooled = [...x, ...y];
  const difference = mean(x) - mean(y);
  const total = pooled.reduce((sum, value) => sum + value, 0);
  // Sums of equal values in another order differ by rounding error, which scales with the values, not with their
  // difference. Arrangements within this error count as extreme as the observed one.
  const greatest = pooled.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const reached = Math.abs(difference) - 4 * pooled.length * Number.EPSILON * greatest;
  const observed = { pooled, numOfX: x.length, total, difference, reached };
  if (!Number.isFinite(difference)) return { ...observed, numArrangements: 0, method: "exact" };
  const numAll = choose(pooled.length, x.length);
  if (numAll <= maxArrangements) return { ...observed, numArrangements: numAll, method: "exact" };
  return { ...observed, numArrangements: maxArrangements, method: "sampled" };
}

function isExtreme(sumOfX: number, { numOfX, pooled, total, reached }: Deal): boolean {
  return Math.abs(sumOfX / numOfX - (total - sumOfX) / (pooled.length - numOfX)) >= reached;
}

/** Counts extreme sampled assignments, including the observed one, for each pair; all pairs have equal sizes. */
function countDrawn(deals: readonly Deal[], seed: number): number[] {
  const [first] = deals;
  if (!first) return [];
  const { numOfX } = first;
  const rng = split(seed, "permutationTest");
  const order = Int32Array.from(first.pooled, (_, i) => i);
  const places = new Int32Array(drawnAtOnce * numOfX);
  const counts = deals.map(() => 1);
  for (let done = 1; done < maxArrangements; done += drawnAtOnce) {
    const drawn = places.subarray(0, Math.min(drawnAtOnce, maxArrangements - done) * numOfX);
    draw(drawn, { order, numOfX, rng });
    for (const [d, deal] of deals.entries()) counts[d] = (counts[d] ?? 0) + countExtreme(drawn, deal);
  }
  return counts;
}

const drawnAtOnce = 1000;

/** Fills `into` with random assignments, each of `numOfX` indices of the pooled values in sample x. */
function draw(into: Int32Array, { order, numOfX, rng }: { order: Int32Array; numOfX: number; rng: Rng }): void {
  for (let from = 0; from < into.length; from += numOfX) {
    // The first elements of a Fisher–Yates shuffle are a random subset.
    for (let slot = 0; slot < numOfX; slot++) {
      const other = slot + rng.int(order.length - slot);
      const chosen = order[other] ?? 0;
      order[other] = order[slot] ?? 0;
      order[slot] = chosen;
      into[from + slot] = chosen;
    }
  }
}

function countExtreme(places: Int32Array, deal: Deal): number {
  const values = Float64Array.from(deal.pooled);
  let count = 0;
  for (let from = 0; from < places.length; from += deal.numOfX) {
    let sum = 0;
    for (let i = from; i < from + deal.numOfX; i++) sum += values[places[i] ?? 0] ?? 0;
    if (isExtreme(sum, deal)) count += 1;
  }
  return count;
}

function countSums(values: readonly number[], size: number, isExtreme: (sum: number) => boolean): number {
  const count = (from: number, left: number, sum: number): number => {
    if (left === 0) return isExtreme(sum) ? 1 : 0;
    let found = 0;
    for (let i = from; i <= values.length - left; i++) found += count(i + 1, left - 1, sum + (values[i] ?? 0));
    return found;
  };
  return count(0, size, 0);
}

/** Returns the binomial coefficient n over k, exact while it fits into a double-precision number. */
export function choose(n: number, k: number): number {
  let product = 1;
  for (let i = 1; i <= Math.min(k, n - k); i++) product = Math.round((product * (n - i + 1)) / i);
  return product;
}
