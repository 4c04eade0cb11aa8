export type Count = { k: number; n: number };

/**
 * Fisher's exact test, two-sided, of two rates (k of n each) being equal. Sums the probabilities of all tables no
 * likelier than the observed one.
 */
export function fisherTest(a: Count, b: Count): number {
  const { from, probabilities } = hypergeometric(a, b);
  return sumNoLikelier(probabilities, a.k - from);
}

/** Total probability of all outcomes no likelier than the one at `seen`; NaN if there is none. */
export function sumNoLikelier(probabilities: readonly number[], seen: number): number {
  // Equally likely tables may differ by rounding.
  const limit = (probabilities[seen] ?? NaN) * (1 + 1e-9);
  if (Number.isNaN(limit)) return NaN;
  return Math.min(
    1,
    probabilities.filter((p) => p <= limit).reduce((sum, p) => sum + p, 0),
  );
}

/**
 * Hypergeometric probabilities of `from`, `from` + 1, … events in a, given the total. Computed by ratios of neighbours,
 * outwards from the mode, so that nothing overflows.
 */
export function hypergeometric(a: Count, b: Count): { from: number; probabilities: number[] } {
  const hits = a.k + b.k;
  const from = Math.max(0, hits - b.n);
  const to = Math.min(a.n, hits);
  const mode = Math.min(to, Math.max(from, Math.floor(((a.n + 1) * (hits + 1)) / (a.n + b.n + 2))));
  const relative = Array.from({ length: to - from + 1 }, () => 1);
  // Ratio of P(k + 1) to P(k).
  const ratio = (k: number): number => ((a.n - k) * (hits - k)) / ((k + 1) * (b.n - hits + k + 1));
  for (let k = mode; k < to; k++) relative[k + 1 - from] = (relative[k - from] ?? 0) * ratio(k);
  for (let k = mode; k > from; k--) relative[k - 1 - from] = (relative[k - from] ?? 0) / ratio(k - 1);
  const total = relative.reduce((sum, x) => sum + x, 0);
  return { from, probabilities: relative.map((x) => x / total) };
}
