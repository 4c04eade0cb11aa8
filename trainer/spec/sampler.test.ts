import { describe, expect, it } from "vitest";
import { methodOf } from "./method.ts";
import { split } from "./rng.ts";
import { RunSpec, specHash } from "./run.ts";
import { drawLag, hasMismatch, maxLagOf, samplerVersion, type Lag } from "./sampler.ts";

const specOf = (rollout: object) =>
  RunSpec.parse({ v: 1, seed: 0, environment: { id: "sokoban" }, method: methodOf("grpo"), rollout });

it("a run without them has none of the sampler's fields, and the hash of before", () => {
  const { rollout } = specOf({});
  expect(Object.keys(rollout).filter((name) => name === "lag" || name.startsWith("sampler"))).toEqual([]);
  expect(specHash(specOf({}))).toBe("efae6f80b50e3d05");
});

it.each<[boolean, object]>([
  [false, {}],
  [false, { lag: { kind: "constant", k: 0 } }],
  [false, { lag: { kind: "uniform", max: 0 } }],
  [false, { samplerPrecision: "float32", samplerNoise: { sigma: 0 } }],
  [true, { lag: { kind: "constant", k: 1 } }],
  [true, { lag: { kind: "geometric", mean: 0, max: 2 } }],
  [true, { samplerPrecision: "bf16" }],
  [true, { samplerNoise: { sigma: 1e-3 } }],
])("mismatch %s: %o", (expected, rollout) => expect(hasMismatch(specOf(rollout).rollout)).toBe(expected));

it.each<[object, string]>([
  [{ lag: { kind: "constant", k: 65 } }, "rollout.lag.k"],
  [{ lag: { kind: "uniform", max: -1 } }, "rollout.lag.max"],
  [{ lag: { kind: "poisson" } }, "rollout.lag.kind"],
  [{ samplerPrecision: "fp4" }, "rollout.samplerPrecision"],
  [{ samplerNoise: { sigma: -1 } }, "rollout.samplerNoise.sigma"],
])("%o is refused by name", (rollout, path) => {
  const parsed = RunSpec.safeParse({
    v: 1,
    seed: 0,
    environment: { id: "sokoban" },
    method: methodOf("grpo"),
    rollout,
  });
  expect(parsed.error?.issues.map((issue) => issue.path.join("."))).toEqual([path]);
});

describe("versions", () => {
  it.each([
    [0, [0, 1, 2, 3, 4, 5, 6, 7]],
    [1, [0, 0, 1, 2, 3, 4, 5, 6]],
    [3, [0, 0, 0, 0, 1, 2, 3, 4]],
  ])("behind by %d: the first one in the beginning", (k, versions) => {
    expect(versions.map((_, i) => samplerVersion(i, k))).toEqual(versions);
  });

  const drawn = (lag: Lag): number[] => Array.from({ length: 20_000 }, (_, i) => drawLag(lag, split(3, "lag", i)));
  const share = (lags: readonly number[], lag: number): number => lags.filter((x) => x === lag).length / lags.length;
  const mean = (lags: readonly number[]): number => lags.reduce((sum, x) => sum + x, 0) / lags.length;

  it("uniform lags are all equally likely, from 0 to the greatest", () => {
    const lags = drawn({ kind: "uniform", max: 3 });
    // The tolerance is four standard errors of a fraction of 1/4.
    for (const lag of [0, 1, 2, 3]) expect(Math.abs(share(lags, lag) - 0.25)).toBeLessThan(0.0123);
    expect(Math.max(...lags)).toBe(3);
  });

  it("geometric lags have their mean, halve where it is 1, and stop at the greatest", () => {
    const lags = drawn({ kind: "geometric", mean: 1, max: 64 });
    expect(Math.abs(mean(lags) - 1)).toBeLessThan(0.04);
    expect(Math.abs(share(lags, 0) - 0.5)).toBeLessThan(0.0142);
    expect(Math.abs(share(lags, 2) - 0.125)).toBeLessThan(0.0094);
    const cut = drawn({ kind: "geometric", mean: 5, max: 4 });
    // The fraction (5/6)⁴ of unbounded lags is at or above the bound, and is counted at the bound.
    expect(Math.abs(share(cut, 4) - (5 / 6) ** 4)).toBeLessThan(0.0142);
    expect(maxLagOf({ lag: { kind: "geometric", mean: 5, max: 4 } })).toBe(4);
    expect(new Set(drawn({ kind: "geometric", mean: 0, max: 4 }))).toEqual(new Set([0]));
  });
});
