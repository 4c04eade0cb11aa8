/** Operations of tensor graphs. This module re-exports the primitives and defines functions composed of them. */
export * from "./primitives.ts";
import { constant, greater, maximum, minimum, mul, where } from "./primitives.ts";
import { numElements } from "./shape.ts";
import type { Shape, Tensor } from "./tensor.ts";

export function fill(value: number, shape: Shape): Tensor {
  return constant(new Float32Array(numElements(shape)).fill(value), shape);
}

/** Clamps x to [low, high]. The gradient is 1 inside, 0 outside, and ½ exactly on a bound. */
export function clamp(x: Tensor, low: number, high: number): Tensor {
  return minimum(maximum(x, low), high);
}

export function square(x: Tensor): Tensor {
  return mul(x, x);
}

/** Converts a bool condition to 1 (true) or 0 (false). No gradient. */
export function toFloat(condition: Tensor): Tensor {
  return where(condition, 1, 0);
}

/** Returns 1 where a > b, else 0. No gradient. */
export function isGreater(a: Tensor | number, b: Tensor | number): Tensor {
  return toFloat(greater(a, b));
}
