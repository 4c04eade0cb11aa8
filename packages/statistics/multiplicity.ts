/**
 * Corrects p-values for multiple testing: (N,) → (N,) in the given order. The family of tests is the whole list, and a
 * caption must name it. NaN (a test that was not possible) stays NaN and does not count.
 */
type Correction = (pValues: readonly number[]) => number[];

/** Holm's step-down correction, which controls the family-wise error rate. */
export const holm: Correction = (pValues) =>
  correct(pValues, (ascending) => {
    let greatest = 0;
    return ascending.map((p, i) => (greatest = Math.max(greatest, Math.min(1, (ascending.length - i) * p))));
  });

/**
 * Benjamini and Hochberg's step-up correction, which controls the expected share of false discoveries (1995). Valid for
 * independent tests and for positive dependence.
 */
export const benjaminiHochberg: Correction = (pValues) =>
  correct(pValues, (ascending) => {
    let least = 1;
    return ascending
      .map((p, i) => [p, i] as const)
      .toReversed()
      .map(([p, i]) => (least = Math.min(least, (p * ascending.length) / (i + 1))))
      .toReversed();
  });

function correct(pValues: readonly number[], adjust: (ascending: readonly number[]) => number[]): number[] {
  const order = Array.from(pValues.keys())
    .filter((i) => !Number.isNaN(pValues[i]))
    .sort((a, b) => (pValues[a] ?? 0) - (pValues[b] ?? 0));
  const adjusted = adjust(order.map((i) => pValues[i] ?? NaN));
  const result = pValues.map(() => NaN);
  for (const [rank, i] of order.entries()) result[i] = adjusted[rank] ?? NaN;
  return result;
}
