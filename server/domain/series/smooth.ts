/**
 * Exponential moving average with the start's bias taken out, as TensorBoard draws it: y = m / (1 − wᵏ) with k the
 * finite values so far. Display only: statistics and detectors read raw values. Non-finite values pass through and
 * leave the average alone. `weight` in [0, 1): 0 returns the values.
 */
export function smooth(values: Float64Array, weight: number): Float64Array {
  let average = 0;
  let bias = 1;
  return values.map((x) => {
    if (!Number.isFinite(x)) return x;
    average = weight * average + (1 - weight) * x;
    bias *= weight;
    return weight >= 1 ? x : average / (1 - bias);
  });
}
