import { choose } from "./permutationTest.ts";

export type Count = { k: number; n: number };

/** Fisher's exact test, two-sided: are two rates (k of n each) the same? Sums all tables no likelier than this one. */
export function fisherTest(a: Count, b: Count): number {
  const total = a.n + b.n;
  const hits = a.k + b.k;
  const probability = (k: number): number => (choose(a.n, k) * choose(b.n, hits - k)) / choose(total, hits);
  const seen = probability(a.k) * (1 + 1e-9);
  let p = 0;
  for (let k = Math.max(0, hits - b.n); k <= Math.min(a.n, hits); k++) {
    const each = probability(k);
    if (each <= seen) p += each;
  }
  return Math.min(1, p);
}

/** The fewest events among n that differ from none among n at p < .05; undefined where even n of n do not. */
export function fewestAgainstNone(n: number): number | undefined {
  return Array.from({ length: n }, (_, i) => i + 1).find((k) => fisherTest({ k: 0, n }, { k, n }) < 0.05);
}
