import { split } from "#trainer/spec/rng.ts";
import { mean } from "./summary.ts";

export type PermutationTest = { difference: number; p: number; numArrangements: number; method: "exact" | "sampled" };

const mostArrangements = 100_000;

/**
 * Two-sided permutation test of the difference of means: how many ways of dealing the values to the two samples differ as
 * much as the true one. All ways up to 100,000, otherwise that many drawn ones, with the true one counted among them.
 */
export function permutationTest(x: readonly number[], y: readonly number[], seed = 0): PermutationTest {
  const pooled = [...x, ...y];
  const difference = mean(x) - mean(y);
  const total = pooled.reduce((sum, value) => sum + value, 0);
  // Sums of equal values in another order differ by rounding; such arrangements are as extreme as the true one.
  const reached = Math.abs(difference) * (1 - 1e-9) - 1e-300;
  const isExtreme = (sumOfX: number): boolean => Math.abs(sumOfX / x.length - (total - sumOfX) / y.length) >= reached;
  if (Number.isNaN(difference)) return { difference, p: NaN, numArrangements: 0, method: "exact" };
  const numArrangements = choose(pooled.length, x.length);
  if (numArrangements <= mostArrangements) {
    const numExtreme = countSums(pooled, x.length, isExtreme);
    return { difference, p: numExtreme / numArrangements, numArrangements, method: "exact" };
  }
  const rng = split(seed, "permutationTest");
  let numExtreme = 1;
  for (let i = 1; i < mostArrangements; i++) {
    // The first x.length places of a Fisher–Yates shuffle are a random sample.
    let sum = 0;
    for (let place = 0; place < x.length; place++) {
      const other = place + rng.int(pooled.length - place);
      const value = pooled[other] ?? 0;
      pooled[other] = pooled[place] ?? 0;
      pooled[place] = value;
      sum += value;
    }
    if (isExtreme(sum)) numExtreme++;
  }
  return { difference, p: numExtreme / mostArrangements, numArrangements: mostArrangements, method: "sampled" };
}

/** How many subsets of `size` values have a sum that is extreme. */
function countSums(values: readonly number[], size: number, isExtreme: (sum: number) => boolean): number {
  const count = (from: number, left: number, sum: number): number => {
    if (left === 0) return isExtreme(sum) ? 1 : 0;
    let found = 0;
    for (let i = from; i <= values.length - left; i++) found += count(i + 1, left - 1, sum + (values[i] ?? 0));
    return found;
  };
  return count(0, size, 0);
}

/** n over k, exact while it fits into a double. */
export function choose(n: number, k: number): number {
  let product = 1;
  for (let i = 1; i <= Math.min(k, n - k); i++) product = Math.round((product * (n - i + 1)) / i);
  return product;
}
