import { div, mul, sum } from "../ops.ts";
import type { Tensor } from "../tensor.ts";

/** Σ mask·x / Σ mask over all elements. */
export function maskedMean(x: Tensor, mask: Tensor): Tensor {
  return div(sum(mul(x, mask)), sum(mask));
}
