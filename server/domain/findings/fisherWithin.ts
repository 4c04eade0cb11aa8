import { hypergeometric, sumNoLikelier, type Count } from "#server/domain/statistics/fisherTest.ts";

/**
 * Are two rates the same within every stratum? Exact, two-sided: the total of the first rates' events given each
 * stratum's margins, over all totals no likelier than this one. One stratum is Fisher's test.
 */
export function fisherWithin(strata: readonly (readonly [Count, Count])[]): number {
  // Totals from `lowest` on, and how likely each is: each stratum's distribution convolved with those before it.
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
