/**
 * Bias-corrected exponential moving average, as in TensorBoard: y = m / (1 − wᵏ), with k the number of finite values so
 * far. It averages differences from the first value, so that a constant stays exact. Display only: statistics and
 * detectors read raw values.
 * Non-finite values pass through and do not affect the average. `weight` in [0, 1): 0 returns the values.
 */
export function smooth(values: Float64Array, weight: number): Float64Array {
  if (weight <= 0 || weight >= 1) return values.slice();
  const first = values.find(Number.isFinite) ?? 0;
  let average = 0;
  let bias = 1;
  return values.map((x) => {
    if (!Number.isFinite(x)) return x;
    average = weight * average + (1 - weight) * (x - first);
    bias *= weight;
    return first + average / (1 - bias);
  });
}
