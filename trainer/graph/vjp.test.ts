import { describe, expect, it } from "vitest";
import { gradients, inputsFirst } from "./backward.ts";
import { interpret, type Values } from "./testing/interpret.ts";
import * as ops from "./ops.ts";
import { primitiveCases } from "./testing/primitiveCases.ts";
import type { Node, Tensor } from "./tensor.ts";

const withoutGradient = new Set(["greater", "stopGradient"]);

describe("each gradient rule agrees with central finite differences", () => {
  for (const [kind, cases] of Object.entries(primitiveCases)) {
    for (const [i, { output, feeds }] of cases.entries()) {
      it(`${kind} ${i}`, () => {
        const loss = weightedSum(output);
        const inputs = inputsOf(loss);
        const analytic = interpret(gradients(loss, inputs), feeds);
        expect(inputsFirst([output]).some((node) => node.kind === kind)).toBe(true);
        for (const [j, input] of inputs.entries()) {
          const numeric = finiteDifferences(loss, input, feeds);
          const expected = withoutGradient.has(kind) ? numeric.map(() => 0) : numeric;
          expectClose(analytic[j] ?? new Float64Array(), expected);
          if (!withoutGradient.has(kind)) expect(numeric.some((x) => Math.abs(x) > 1e-3)).toBe(true);
        }
      });
    }
  }
});

describe("conventions", () => {
  const x = ops.input("x", [3]);
  const slope = (y: Tensor, values: number[]): number[] =>
    interpret(gradients(ops.sum(y), [x]), { x: values }).flatMap((g) => [...g]);

  it("gives each side of a tie half of the gradient", () => {
    expect(slope(ops.maximum(x, 1), [0, 1, 2])).toEqual([0, 0.5, 1]);
    expect(slope(ops.minimum(x, 1), [0, 1, 2])).toEqual([1, 0.5, 0]);
    expect(slope(ops.maximum(x, ops.mul(x, 1)), [0, 1, 2])).toEqual([1, 1, 1]);
  });
  it("passes no gradient outside a clamp", () => {
    expect(slope(ops.clamp(x, 0.5, 1.5), [0, 1, 2])).toEqual([0, 1, 0]);
  });
  it("passes no gradient through stopGradient", () => {
    expect(slope(ops.mul(ops.stopGradient(x), x), [1, 2, 3])).toEqual([1, 2, 3]);
  });
  it("lets NaN and infinity through", () => {
    const y = ops.sum(ops.mul(ops.log(x), x));
    expect(interpret([y], { x: [-1, 1, 1] })[0]?.[0]).toBeNaN();
    expect(interpret([ops.sum(ops.exp(x))], { x: [1e4, 0, 0] })[0]?.[0]).toBe(Infinity);
    expect(slope(ops.log(x), [0, 1, 2])[0]).toBe(Infinity);
  });
  it("gives zeros for an input the loss does not use", () => {
    const unused = ops.input("unused", [2]);
    expect(interpret(gradients(ops.sum(x), [unused]), { x: [1, 2, 3] })).toEqual([new Float64Array(2)]);
  });
  it("joins the gradients of slices that tile an axis instead of adding padded ones", () => {
    const parts = [0, 1, 2].map((i) => ops.mul(ops.slice(x, 0, [i, i + 1]), i));
    const [gradient] = gradients(ops.sum(ops.concat(parts, 0)), [x]);
    expect(gradient?.kind).toBe("concat");
  });
  it("says which shapes do not fit", () => {
    expect(() => ops.add(x, ops.input("y", [2]))).toThrow("add: shapes (3) and (2) do not fit");
    expect(() => ops.matmul(ops.input("a", [2, 3]), ops.input("b", [4, 5]))).toThrow(
      "matmul: shapes (2, 3) and (4, 5)",
    );
    expect(() => gradients(x, [x])).toThrow("gradients: the loss has shape (3), not ()");
    expect(() => ops.gather(x, x)).toThrow("indices are f32, not i64");
  });
});

/** Sums all elements with different weights, so that errors do not cancel out. */
function weightedSum(y: Tensor): Tensor {
  const size = y.shape.reduce((product, n) => product * n, 1);
  const weights = Float64Array.from({ length: size }, (_, i) => 1 + ((i * 7) % 5) / 3);
  return ops.sum(ops.mul(y, ops.constant(weights, y.shape)));
}

function inputsOf(loss: Tensor): Node<"input">[] {
  return inputsFirst([loss]).filter((node) => node.kind === "input");
}

function finiteDifferences(loss: Tensor, input: Node<"input">, feeds: Values): number[] {
  const { name } = input.attributes;
  const values = Float64Array.from(feeds[name] ?? [], Number);
  const epsilon = 1e-5;
  const lossAt = (i: number, x: number): number =>
    interpret([loss], { ...feeds, [name]: values.with(i, x) })[0]?.[0] ?? NaN;
  return [...values].map((x, i) => (lossAt(i, x + epsilon) - lossAt(i, x - epsilon)) / (2 * epsilon));
}

function expectClose(actual: Float64Array, expected: readonly number[]): void {
  expect(actual.length).toBe(expected.length);
  for (const [i, x] of expected.entries())
    expect(Math.abs((actual[i] ?? NaN) - x)).toBeLessThan(1e-6 * (1 + Math.abs(x)));
}
