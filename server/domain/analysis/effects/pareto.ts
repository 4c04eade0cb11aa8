import { resample, type BootstrapOptions, mean } from "#packages/statistics";

/** Values of two quantities to maximise, such as performance and 1 − collapse rate. */
export type ParetoPoint = { x: number; y: number };

/** Returns the indices of the points that no other point dominates (Pareto front). */
export function paretoFront(points: readonly ParetoPoint[]): number[] {
  return Array.from(points.keys()).filter((i) => {
    const { x = NaN, y = NaN } = points[i] ?? {};
    return !points.some((other) => other.x >= x && other.y >= y && (other.x > x || other.y > y));
  });
}

/**
 * Returns the fraction of bootstrap resamples of seeds in which each method is on the Pareto front. Input: one point
 * per run, shape (M, N) for M methods; a method's point is the mean over its runs.
 */
export function probabilityOnFront(
  runs: readonly (readonly ParetoPoint[])[],
  { seed = 0, numResamples = 2000 }: BootstrapOptions = {},
): number[] {
  const { draws, numResamples: numDraws } = resample(runs, { seed, numResamples });
  const counts = runs.map(() => 0);
  for (const draw of draws) {
    const points = draw.map((drawn) => ({ x: mean(drawn.map(({ x }) => x)), y: mean(drawn.map(({ y }) => y)) }));
    for (const i of paretoFront(points)) counts[i] = (counts[i] ?? 0) + 1;
  }
  return counts.map((count) => count / numDraws);
}
