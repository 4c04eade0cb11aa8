import type { GroupRecord } from "./rollout.ts";
import { meanOf, shareOf } from "./summary.ts";

/**
 * Statistics of n samples per task besides their mean: pass@k, the probability that one of k samples solves a task, and
 * k@n, the fraction of tasks that at least k of n solved. For k of 2, 4, 8, … and n; empty for n = 1.
 */
export function describeSamples(groups: readonly Pick<GroupRecord, "successes">[]): Record<string, number> {
  const solved = groups.map(({ successes }) => ({ n: successes.length, c: successes.filter(Boolean).length }));
  const n = solved[0]?.n ?? 0;
  const powers = [2, 4, 8, 16, 32, 64, 128].filter((k) => k < n);
  return Object.fromEntries(
    (n > 1 ? [...powers, n] : []).flatMap((k) => [
      [`passAt${k}`, meanOf(solved.map((task) => passAtK(task, k)))] as const,
      [`atLeast${k}`, shareOf(solved, ({ c }) => c >= k)] as const,
    ]),
  );
}

/**
 * The unbiased estimate of pass@k from n samples with c successes, 1 − C(n−c, k)/C(n, k), as a product without large
 * factorials (Chen et al. 2021, arXiv 2107.03374, eq. 1).
 */
export function passAtK({ n, c }: { n: number; c: number }, k: number): number {
  if (n - c < k) return 1;
  let allFail = 1;
  for (let i = n - c + 1; i <= n; i++) allFail *= 1 - k / i;
  return 1 - allFail;
}
