import { div, mul, sum } from "../ops.ts";
import type { Tensor } from "../tensor.ts";

/** Returns the mean of x where the mask is 1: Σ mask·x / Σ mask over all elements. */
export function maskedMean(x: Tensor, mask: Tensor): Tensor {
  return div(sum(mul(x, mask)), sum(mask));
}
