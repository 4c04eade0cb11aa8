import { describe, expect, it } from "vitest";
import { OptimizerSpec } from "#trainer/spec/run.ts";
import { globalNorm, makeAdamW, warmupCosine } from "./optimizer.ts";

const spec = OptimizerSpec.parse({ beta1: 0.9, beta2: 0.99, epsilon: 0.5, weightDecay: 0.1, maxGradientNorm: 0 });
const shapes = { matrix: [1, 1], gain: [1] };
const parameters = (): { matrix: Float32Array; gain: Float32Array } => ({
  matrix: Float32Array.of(2),
  gain: Float32Array.of(2),
});
const gradients = { matrix: Float32Array.of(3), gain: Float32Array.of(4) };

describe("AdamW", () => {
  it("takes two steps worked by hand", () => {
    const own = parameters();
    const optimizer = makeAdamW(spec, shapes);
    optimizer.step(own, gradients, 0.1);
    // In step 1, m̂ = g and v̂ = g², so the update is 0.1·g/(|g| + 0.5). The matrix first decays by the factor 1 −
    // 0.1·0.1.
    expect(own.matrix[0]).toBeCloseTo(2 * 0.99 - (0.1 * 3) / 3.5, 6);
    expect(own.gain[0]).toBeCloseTo(2 - (0.1 * 4) / 4.5, 6);

    const afterOne = own.gain[0] ?? NaN;
    optimizer.step(own, { ...gradients, gain: Float32Array.of(-4) }, 0.1);
    // In step 2, the gain has m = 0.9·0.4 − 0.4 = −0.04, m̂ = −0.04/0.19, v = 0.99·0.16 + 0.16 = 0.3184, v̂ = v/0.0199
    // = 16.
    expect(own.gain[0]).toBeCloseTo(afterOne + (0.1 * (0.04 / 0.19)) / 4.5, 6);
    expect(optimizer.state().t).toBe(2);
  });

  it("scales gradients down to the global norm, and only down", () => {
    const clipping = { ...spec, maxGradientNorm: 1 };
    const own = parameters();
    const optimizer = makeAdamW(clipping, shapes);
    expect(optimizer.step(own, gradients, 0.1)).toEqual({ gradientNorm: 5, skipped: false });
    // The gradients 3 and 4 are clipped to 0.6 and 0.8.
    expect(optimizer.state().m["matrix"]?.[0]).toBeCloseTo(0.06, 6);
    expect(optimizer.state().m["gain"]?.[0]).toBeCloseTo(0.08, 6);

    const small = makeAdamW(clipping, shapes);
    small.step(parameters(), { matrix: Float32Array.of(0.3), gain: Float32Array.of(0.4) }, 0.1);
    expect(small.state().m["matrix"]?.[0]).toBeCloseTo(0.03, 6);
  });

  it.each([NaN, Infinity, -Infinity])("skips a step whose gradient holds %d, and says so", (x) => {
    const own = parameters();
    const optimizer = makeAdamW(spec, shapes);
    const report = optimizer.step(own, { ...gradients, gain: Float32Array.of(x) }, 0.1);
    expect(report.skipped).toBe(true);
    expect(Number.isFinite(report.gradientNorm)).toBe(false);
    expect(own).toEqual(parameters());
    expect(optimizer.state().t).toBe(0);
  });

  it("goes on from a saved state as if never stopped", () => {
    const [straight, resumed] = [parameters(), parameters()];
    const first = makeAdamW(spec, shapes);
    for (let i = 0; i < 4; i++) first.step(straight, gradients, 0.1);
    const before = makeAdamW(spec, shapes);
    for (let i = 0; i < 2; i++) before.step(resumed, gradients, 0.1);
    const after = makeAdamW(spec, shapes, structuredClone(before.state()));
    for (let i = 0; i < 2; i++) after.step(resumed, gradients, 0.1);
    expect(resumed).toEqual(straight);
  });

  it("names a missing array", () => {
    expect(() => makeAdamW(spec, shapes).step(parameters(), { matrix: Float32Array.of(1) }, 0.1)).toThrow("gain");
  });
});

it("the global norm does not overflow where single precision would", () => {
  expect(globalNorm([Float32Array.of(3e30), Float32Array.of(4e30)]) / 5e30).toBeCloseTo(1, 6);
});

it("rises linearly to the peak and falls by half a cosine, never below 0", () => {
  const rates = Array.from({ length: 10 }, (_, step) =>
    warmupCosine({ peak: 1, numSteps: 10, warmupFraction: 0.4 }, step),
  );
  expect(rates.slice(0, 4)).toEqual([0.25, 0.5, 0.75, 1]);
  for (const [i, rate] of rates.slice(4).entries()) {
    expect(rate).toBeLessThan(rates[i + 3] ?? NaN);
    expect(rate).toBeGreaterThan(0);
  }
});

it("gives a single step a rate above 0", () => {
  expect(warmupCosine({ peak: 2, numSteps: 1, warmupFraction: 0.1 }, 0)).toBe(2);
});
