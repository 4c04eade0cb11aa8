import { hypergeometric, sumNoLikelier, type Count } from "#packages/statistics";

/**
 * Exact two-sided test of equal rates within every stratum: sums the probabilities of all totals no likelier than the
 * observed one, given each stratum's margins. With one stratum it is Fisher's exact test.
 */
export function fisherWithin(strata: readonly (readonly [Count, Count])[]): number {
  // Distribution of totals from `lowest` on: convolution of the strata's distributions.
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
