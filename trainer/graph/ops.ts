/** Operations of graphs: the primitives, and compositions of them below. */
export * from "./primitives.ts";
import { constant, greater, maximum, minimum, mul, where } from "./primitives.ts";
import { numElements } from "./shape.ts";
import type { Shape, Tensor } from "./tensor.ts";

export function fill(value: number, shape: Shape): Tensor {
  return constant(new Float32Array(numElements(shape)).fill(value), shape);
}

/** x clamped to [low, high]: gradient 1 inside, 0 outside, ½ exactly on a bound. */
export function clamp(x: Tensor, low: number, high: number): Tensor {
  return minimum(maximum(x, low), high);
}

export function square(x: Tensor): Tensor {
  return mul(x, x);
}

/** 1 where the condition (bool) holds, else 0; no gradient. */
export function toFloat(condition: Tensor): Tensor {
  return where(condition, 1, 0);
}

/** 1 where a > b, else 0; no gradient. */
export function isGreater(a: Tensor | number, b: Tensor | number): Tensor {
  return toFloat(greater(a, b));
}
