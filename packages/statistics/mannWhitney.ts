import { normalUpperTail } from "./distributions.ts";
import { rank, tieTerm } from "./ranks.ts";

export type MannWhitney = {
  /** Number of pairs where x is greater, ties counted half. */
  u: number;
  /** Two-sided: twice the smaller tail. */
  p: number;
  /**
   * Exact with or without ties up to 20 values per sample; above, normal approximation with tie and continuity
   * corrections.
   */
  method: "exact" | "asymptotic";
};

/** All arrangements of 40 values are counted exactly in a double, within milliseconds. */
const maxForExact = 20;

/**
 * Mann–Whitney U test of x tending to be greater than y. With 3 against 3 the minimum is p = 0.1. NaN if a sample is
 * empty or contains a NaN.
 */
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

/** Fraction of all choices of n ranks whose sum is at least as far out on the nearer side. */
function exactP(ranks: readonly number[], n: number): number {
  // Ties share their mean rank, so twice a rank is an integer.
  const doubled = ranks.map((r) => Math.round(2 * r));
  const seen = doubled.slice(0, n).reduce((sum, r) => sum + r, 0);
  const counts = countBySum(doubled, n);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const below = counts.subarray(0, seen + 1).reduce((sum, count) => sum + count, 0);
  const above = counts.subarray(seen).reduce((sum, count) => sum + count, 0);
  return Math.min(1, (2 * Math.min(below, above)) / total);
}

/** Number of ways to choose n of the ranks, by their sum. (Σ ranks + 1,) */
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
