export type Count = { k: number; n: number };

/** Fisher's exact test, two-sided: are two rates (k of n each) the same? Sums all tables no likelier than this one. */
export function fisherTest(a: Count, b: Count): number {
  const { from, probabilities } = hypergeometric(a, b);
  return sumNoLikelier(probabilities, a.k - from);
}

/** What all outcomes have together that are no likelier than the one at `seen`; NaN where there is none. */
export function sumNoLikelier(probabilities: readonly number[], seen: number): number {
  // Equally likely tables differ by rounding.
  const limit = (probabilities[seen] ?? NaN) * (1 + 1e-9);
  if (Number.isNaN(limit)) return NaN;
  return Math.min(
    1,
    probabilities.filter((p) => p <= limit).reduce((sum, p) => sum + p, 0),
  );
}

/**
 * How the events of both fall on a, given how many there are: the probability of `from`, `from` + 1, … of them.
 * Each from its neighbour by their ratio, outwards from the most probable: nothing overflows, whatever the sizes.
 */
export function hypergeometric(a: Count, b: Count): { from: number; probabilities: number[] } {
  const hits = a.k + b.k;
  const from = Math.max(0, hits - b.n);
  const to = Math.min(a.n, hits);
  const mode = Math.min(to, Math.max(from, Math.floor(((a.n + 1) * (hits + 1)) / (a.n + b.n + 2))));
  const relative = Array.from({ length: to - from + 1 }, () => 1);
  // (k + 1) against k: the events and the others that are left, over those that were taken.
  const ratio = (k: number): number => ((a.n - k) * (hits - k)) / ((k + 1) * (b.n - hits + k + 1));
  for (let k = mode; k < to; k++) relative[k + 1 - from] = (relative[k - from] ?? 0) * ratio(k);
  for (let k = mode; k > from; k--) relative[k - 1 - from] = (relative[k - from] ?? 0) / ratio(k - 1);
  const total = relative.reduce((sum, x) => sum + x, 0);
  return { from, probabilities: relative.map((x) => x / total) };
}
