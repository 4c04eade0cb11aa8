/** One metric of one run, iterations ascending. */
export type MetricCurve = readonly { iteration: number; value: number }[];

/**
 * The mean of a metric over the last fifth up to an iteration: what a run comes to there. Where no point lies within
 * that fifth it is the last point before; NaN where there is none, and where a point in it is NaN.
 */
export function finalMean(curve: MetricCurve, iteration: number): number {
  const before = curve.filter((point) => point.iteration <= iteration);
  const inside = before.filter((point) => point.iteration > 0.8 * iteration);
  const counted = inside.length > 0 ? inside : before.slice(-1);
  return counted.reduce((sum, { value }) => sum + value, 0) / counted.length;
}
