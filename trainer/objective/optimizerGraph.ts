import { add, div, input, mul, sqrt, square, sub, sum } from "#trainer/graph/ops.ts";
import type { Shape, Tensor } from "#trainer/graph/tensor.ts";

/** Inputs of `updateGraph` besides parameter, gradient and moments: one number each, see `stepConstants`. */
export const stepInputs = ["keep", "beta1", "firstShare", "beta2", "secondShare", "stepSize", "smallest"] as const;
export type StepConstants = Readonly<Record<(typeof stepInputs)[number], number>>;

/** One AdamW step of one parameter, equal to `makeAdamW`: `x`, `g`, `m`, `v` of one shape → new `x`, `m`, `v`. */
export function updateGraph(shape: Shape): Readonly<Record<"x" | "m" | "v", Tensor>> {
  const g = input("g", shape);
  const number = (name: (typeof stepInputs)[number]): Tensor => input(name, [1]);
  const first = add(mul(input("m", shape), number("beta1")), mul(g, number("firstShare")));
  const second = add(mul(input("v", shape), number("beta2")), mul(square(g), number("secondShare")));
  const step = div(mul(first, number("stepSize")), add(sqrt(second), number("smallest")));
  return { x: sub(mul(input("x", shape), number("keep")), step), m: first, v: second };
}

/** `total` (1) and `x` of any shape → total + Σx². */
export function squaresGraph(shape: Shape): Readonly<Record<"squares", Tensor>> {
  const x = input("x", shape);
  return { squares: add(input("total", [1]), sum(square(x))) };
}

/** `total` and `x` of one shape → their sum. */
export function sumGraph(shape: Shape): Readonly<Record<"sum", Tensor>> {
  return { sum: add(input("total", shape), input("x", shape)) };
}
