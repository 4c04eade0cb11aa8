import { normalUpperTail, tQuantile, tUpperTail } from "./distributions.ts";
import { rank, tieTerm } from "./ranks.ts";
import type { Interval } from "./rates.ts";
import { isConstant, mean, sem, variance } from "./summary.ts";

export type Count = { k: number; n: number };

/** p of Fisher's exact two-sided test of equal rates k/n: sums the tables at most as likely as the observed one. */
export function fisherTest(a: Count, b: Count): number {
  const { from, probabilities } = hypergeometric(a, b);
  return sumNoLikelier(probabilities, a.k - from);
}

/** Sums all probabilities that are at most as large as the one with index `seen`; NaN if that index does not exist. */
export function sumNoLikelier(probabilities: readonly number[], seen: number): number {
  // The tolerance covers rounding between equally likely contingency tables.
  const limit = (probabilities[seen] ?? NaN) * (1 + 1e-9);
  if (Number.isNaN(limit)) return NaN;
  return Math.min(
    1,
    probabilities.filter((p) => p <= limit).reduce((sum, p) => sum + p, 0),
  );
}

/**
 * Returns the hypergeometric probabilities of `from`, `from` + 1, … events in sample a, given the total number of
 * events. They are computed as ratios of neighbours, outwards from the mode, so that nothing overflows.
 */
export function hypergeometric(a: Count, b: Count): { from: number; probabilities: number[] } {
  const hits = a.k + b.k;
  const from = Math.max(0, hits - b.n);
  const to = Math.min(a.n, hits);
  const mode = Math.min(to, Math.max(from, Math.floor(((a.n + 1) * (hits + 1)) / (a.n + b.n + 2))));
  const relative = Array.from({ length: to - from + 1 }, () => 1);
  const ratio = (k: number): number => ((a.n - k) * (hits - k)) / ((k + 1) * (b.n - hits + k + 1));
  for (let k = mode; k < to; k++) relative[k + 1 - from] = (relative[k - from] ?? 0) * ratio(k);
  for (let k = mode; k > from; k--) relative[k - 1 - from] = (relative[k - from] ?? 0) / ratio(k - 1);
  const total = relative.reduce((sum, x) => sum + x, 0);
  return { from, probabilities: relative.map((x) => x / total) };
}

export type MannWhitney = {
  /** Number of pairs (x, y) in which x is greater; ties count half. */
  u: number;
  /** Two-sided p-value: twice the probability of the smaller tail. */
  p: number;
  /** `exact` for up to 20 values per sample; above, a normal approximation with tie and continuity corrections. */
  method: "exact" | "asymptotic";
};

/** Up to this size, arrangements of 40 values are exact in double precision and counted within milliseconds. */
const maxForExact = 20;

/** Mann–Whitney U test; with 3 values per sample, the smallest p is 0.1. NaN if a sample is empty or has a NaN. */
export function mannWhitneyTest(
  x: readonly number[],
  y: readonly number[],
  method: MannWhitney["method"] = Math.max(x.length, y.length) <= maxForExact ? "exact" : "asymptotic",
): MannWhitney {
  const [n, m] = [x.length, y.length];
  const { ranks, tieSizes } = rank([...x, ...y]);
  const rankSum = ranks.slice(0, n).reduce((sum, r) => sum + r, 0);
  const u = rankSum - (n * (n + 1)) / 2;
  if (n === 0 || m === 0 || Number.isNaN(u)) return { u: NaN, p: NaN, method };
  if (method === "exact") return { u, p: exactP(ranks, n), method };
  const greater = Math.max(u, n * m - u);
  const total = n + m;
  const spread = Math.sqrt(((n * m) / 12) * (total + 1 - tieTerm(tieSizes) / (total * (total - 1))));
  const z = (greater - (n * m) / 2 - 0.5) / spread;
  return { u, p: spread > 0 ? Math.min(1, 2 * normalUpperTail(z)) : 1, method };
}

/** Two-sided p: twice the fraction of choices of n ranks with a sum at least as extreme as the first n ranks' sum. */
function exactP(ranks: readonly number[], n: number): number {
  // Ties share their mean rank, so ranks may be halves, and twice a rank is an integer.
  const doubled = ranks.map((r) => Math.round(2 * r));
  const seen = doubled.slice(0, n).reduce((sum, r) => sum + r, 0);
  const counts = countBySum(doubled, n);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const below = counts.subarray(0, seen + 1).reduce((sum, count) => sum + count, 0);
  const above = counts.subarray(seen).reduce((sum, count) => sum + count, 0);
  return Math.min(1, (2 * Math.min(below, above)) / total);
}

/** Counts the ways to choose n of the ranks, for every possible sum of ranks: (Σ ranks + 1,). */
function countBySum(ranks: readonly number[], n: number): Float64Array {
  const greatest = ranks.reduce((sum, r) => sum + r, 0);
  const bySize = Array.from({ length: n + 1 }, () => new Float64Array(greatest + 1));
  const [none] = bySize;
  if (none) none[0] = 1;
  for (const r of ranks) {
    for (let size = n; size > 0; size--) {
      const [smaller, larger] = [bySize[size - 1], bySize[size]];
      if (!smaller || !larger) continue;
      for (let sum = greatest; sum >= r; sum--) larger[sum] = (larger[sum] ?? 0) + (smaller[sum - r] ?? 0);
    }
  }
  return bySize[n] ?? new Float64Array();
}

/** `difference`: mean(x) − mean(y); p is two-sided. All others are NaN below two values or if a sample is constant. */
export type TTest = { t: number; df: number; p: number; difference: number; interval: Interval };

const nothing = { t: NaN, df: NaN, p: NaN, interval: { low: NaN, high: NaN } } as const;

/** Welch's t-test for independent samples with unequal variances, the default for comparing methods over seeds. */
export function welchTest(x: readonly number[], y: readonly number[], level = 0.95): TTest {
  if (isConstant(x) || isConstant(y)) return { ...nothing, difference: mean(x) - mean(y) };
  const [fromX, fromY] = [variance(x) / x.length, variance(y) / y.length];
  const df = (fromX + fromY) ** 2 / (fromX ** 2 / (x.length - 1) + fromY ** 2 / (y.length - 1));
  return toTest(mean(x) - mean(y), Math.sqrt(fromX + fromY), { df, level });
}

/** Paired t-test, valid only if x[i] and y[i] share their randomness; equal seeds in two methods are not enough. */
export function pairedTTest(x: readonly number[], y: readonly number[], level = 0.95): TTest {
  const differences = x.map((value, i) => value - (y[i] ?? NaN));
  if (variesByRoundingAlone(x, differences)) return { ...nothing, difference: mean(differences) };
  return toTest(mean(differences), sem(differences), { df: differences.length - 1, level });
}

/** True if the differences vary only by rounding, such as 0.3 − 0.1 and 0.4 − 0.2. */
function variesByRoundingAlone(x: readonly number[], differences: readonly number[]): boolean {
  if (differences.length < 2) return false;
  const size = Math.max(...x.map(Math.abs), ...differences.map(Math.abs));
  return Math.max(...differences) - Math.min(...differences) <= 4 * Number.EPSILON * size;
}

function toTest(difference: number, error: number, { df, level }: { df: number; level: number }): TTest {
  const t = difference / error;
  const halfWidth = tQuantile((1 + level) / 2, df) * error;
  const interval = { low: difference - halfWidth, high: difference + halfWidth };
  return { t, df, p: Math.min(1, 2 * tUpperTail(Math.abs(t), df)), difference, interval };
}
