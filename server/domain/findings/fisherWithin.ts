import type { Count } from "../statistics/fisherTest.ts";
import { logGamma } from "../statistics/specialFunctions.ts";

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
  const seen = (likely[total - lowest] ?? NaN) * (1 + 1e-9);
  return Number.isNaN(seen)
    ? NaN
    : Math.min(
        1,
        likely.filter((x) => x <= seen).reduce((sum, x) => sum + x, 0),
      );
}

/** How the events of both fall on the first, given how many there are. */
function hypergeometric(a: Count, b: Count): { from: number; probabilities: number[] } {
  const hits = a.k + b.k;
  const from = Math.max(0, hits - b.n);
  const all = logChoose(a.n + b.n, hits);
  const probabilities = Array.from({ length: Math.min(a.n, hits) - from + 1 }, (_, i) =>
    Math.exp(logChoose(a.n, from + i) + logChoose(b.n, hits - from - i) - all),
  );
  return { from, probabilities };
}

function logChoose(n: number, k: number): number {
  return logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);
}
