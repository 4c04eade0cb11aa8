import { add, greater, maximum, minimum, mul, square, sub, sum, toFloat } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";

/** Inputs of the value loss, all (B, T); `values` with gradient, the others constant. */
export type ValueNodes = {
  values: Tensor;
  /** The critic's values before the update. */
  oldValues: Tensor;
  returns: Tensor;
  /** Aggregation weights, 0 off the response. */
  weights: Tensor;
};

/**
 * Clipped value loss (PPO as in verl): ½·Σ W·max((v − R)², (clip(v, v_old ± c) − R)²). A value within the range must
 * equal its clipped value to the last bit: v_old + (v − v_old) would be rounded, and the rounding counted as clipping.
 * @returns scalars: the loss, and the fraction of tokens (by weight) on which the clipped term is the larger
 */
export function valueLoss(clip: number, { values, oldValues, returns, weights }: ValueNodes) {
  const clipped = minimum(maximum(values, sub(oldValues, clip)), add(oldValues, clip));
  const [free, bounded] = [square(sub(values, returns)), square(sub(clipped, returns))];
  return {
    loss: mul(sum(mul(weights, maximum(free, bounded))), 0.5),
    clipFraction: sum(mul(weights, toFloat(greater(bounded, free)))),
  };
}
