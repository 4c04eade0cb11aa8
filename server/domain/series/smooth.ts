import type { Curve } from "./series.ts";

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

/** As `smooth` for irregular iterations: a value's weight decays with the distance. Equal to `smooth` at distance 1. */
export function smoothByIteration({ iterations, values }: Curve, weight: number): Float64Array {
  let sum = 0;
  let total = 0;
  let previous: number | undefined;
  return values.map((x, i) => {
    if (!Number.isFinite(x)) return x;
    const iteration = iterations[i] ?? 0;
    const decay = previous === undefined ? 0 : weight ** (iteration - previous);
    previous = iteration;
    sum = sum * decay + x;
    total = total * decay + 1;
    return sum / total;
  });
}

/** Steps after which a value's share has halved: 6.58 for 0.9. */
export function halfLife(weight: number): number {
  return Math.log(0.5) / Math.log(weight);
}
