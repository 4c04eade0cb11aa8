import { normalUpperTail } from "./distributions.ts";
import { rank, tieTerm } from "./ranks.ts";

export type MannWhitney = {
  /** Pairs in which x is greater, ties counted half. */
  u: number;
  /** Two-sided. */
  p: number;
  /** Exact without ties in at most 8 values a side; otherwise normal, with tie and continuity corrections. */
  method: "exact" | "asymptotic";
};

/** Mann–Whitney U: does x tend to be greater than y? With 3 against 3 it cannot go below p = 0.1. */
export function mannWhitneyTest(
  x: readonly number[],
  y: readonly number[],
  method?: MannWhitney["method"],
): MannWhitney {
  const [n, m] = [x.length, y.length];
  if (n === 0 || m === 0) return { u: NaN, p: NaN, method: "exact" };
  const { ranks, tieSizes } = rank([...x, ...y]);
  const rankSum = ranks.slice(0, n).reduce((sum, r) => sum + r, 0);
  const u = rankSum - (n * (n + 1)) / 2;
  const isExact = method === undefined ? tieSizes.every((size) => size === 1) && n <= 8 && m <= 8 : method === "exact";
  const greater = Math.max(u, n * m - u);
  if (isExact) return { u, p: Math.min(1, 2 * exactUpperTail(greater, n, m)), method: "exact" };
  const total = n + m;
  const spread = Math.sqrt(((n * m) / 12) * (total + 1 - tieTerm(tieSizes) / (total * (total - 1))));
  const z = (greater - (n * m) / 2 - 0.5) / spread;
  return { u, p: spread > 0 ? Math.min(1, 2 * normalUpperTail(z)) : 1, method: "asymptotic" };
}

/** P(U ≥ u) when all orders are equally likely. */
function exactUpperTail(u: number, n: number, m: number): number {
  const counts = countByU(n, m);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return counts.slice(Math.ceil(u)).reduce((sum, count) => sum + count, 0) / total;
}

/** (n·m + 1,) number of orders with each U: coefficients of the Gaussian binomial (n + m choose n). */
function countByU(n: number, m: number): number[] {
  const counts = [1, ...Array.from({ length: n * m }, () => 0)];
  for (let i = 1; i <= n; i++) {
    for (let u = n * m; u >= m + i; u--) counts[u] = (counts[u] ?? 0) - (counts[u - m - i] ?? 0);
    for (let u = i; u <= n * m; u++) counts[u] = (counts[u] ?? 0) + (counts[u - i] ?? 0);
  }
  return counts;
}
