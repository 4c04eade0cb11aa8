import { describe, expect, it } from "vitest";
import { gradients } from "#trainer/graph/backward.ts";
import { interpret } from "#trainer/graph/testing/interpret.ts";
import { constant, input, sum } from "#trainer/graph/ops.ts";
import { makeSession } from "#trainer/onnx/session.ts";
import { k1, k2, k3, k3Loss } from "./kl.ts";

describe("k3 as a node", () => {
  // Cases of z = log π_ref − log π: not clamped, 0, value beyond its bound of 10, z beyond ±20, and padding.
  const z = [0.5, -1.5, 0, 3, 200, -200, 1];
  const shape = [1, z.length];
  const logProbs = input("logProbs", shape);
  const token = k3Loss({
    logProbs,
    referenceLogProbs: constant(z, shape),
    mask: constant([1, 1, 1, 1, 1, 1, 0], shape),
  });
  const gradient = gradients(sum(token), [logProbs])[0] ?? token;
  const feeds = { logProbs: new Float32Array(z.length) };
  const expected = [Math.exp(0.5) - 1.5, Math.exp(-1.5) + 0.5, 0, 10, 10, 10, 0];
  const slopes = [1 - Math.exp(0.5), 1 - Math.exp(-1.5), 0, 0, 0, 0, 0];

  it("has the value of the plain function and the gradient 1 − e^z, within its bounds", async () => {
    const session = await makeSession({ token, gradient });
    const compiled = await session.run(feeds);
    await session.close();
    const [tokens, tokenSlopes] = interpret([token, gradient], feeds);
    for (const [values, slope] of [
      [compiled.token, compiled.gradient],
      [tokens ?? [], tokenSlopes ?? []],
    ] as const) {
      expect([...values]).toEqual(expected.map((x) => expect.closeTo(x, 5)));
      expect([...slope]).toEqual(slopes.map((x) => expect.closeTo(x, 5)));
    }
    expect(z.slice(0, -1).map((x) => k3(0, x))).toEqual(expected.slice(0, -1).map((x) => expect.closeTo(x, 12)));
  });
});

describe("k3 where both policies nearly agree", () => {
  const z = [3e-4, -3e-4, 1e-6, -0.01, 0.2, 0.249, 0.251, -0.3];
  // Exact values, computed by a series in double precision.
  const exact = z.map((x) => {
    let [term, sum] = [x, 0];
    for (let n = 2; n < 30; n++) sum += term *= x / n;
    return sum;
  });

  it("is right to single precision in the graph and to double outside, and its gradient is as it was", async () => {
    const shape = [1, z.length];
    const logProbs = input("logProbs", shape);
    const mask = constant(
      z.map(() => 1),
      shape,
    );
    const token = k3Loss({ logProbs, referenceLogProbs: constant(z, shape), mask });
    const gradient = gradients(sum(token), [logProbs])[0] ?? token;
    const session = await makeSession({ token, gradient });
    const found = await session.run({ logProbs: new Float32Array(z.length) });
    await session.close();
    for (const [i, x] of z.entries()) {
      expect(Math.abs((found.token[i] ?? NaN) / (exact[i] ?? NaN) - 1)).toBeLessThan(5e-6);
      expect(Math.abs(k3(0, x) / (exact[i] ?? NaN) - 1)).toBeLessThan(1e-9);
      // The gradient is computed from e^z − 1 in single precision.
      expect(found.gradient[i]).toBeCloseTo(1 - Math.exp(x), 6);
    }
  });
});

it("estimators agree to second order near 0, and only k1 is negative", () => {
  expect(k1(-1, -0.9)).toBeCloseTo(-0.1, 12);
  expect(k2(-1, -0.9)).toBeCloseTo(0.005, 12);
  expect(Math.abs(k3(-1, -0.9) - 0.005)).toBeLessThan(2e-4);
});

it("k3 averages to the KL divergence under π", () => {
  const policy = [0.7, 0.2, 0.1];
  const reference = [0.5, 0.25, 0.25];
  const under = (estimate: (x: number, y: number) => number): number =>
    policy.reduce((total, p, i) => total + p * estimate(Math.log(p), Math.log(reference[i] ?? NaN)), 0);
  const exact = under((x, y) => x - y);
  expect(under(k3)).toBeCloseTo(exact, 12);
  expect(under(k1)).toBeCloseTo(exact, 12);
});
