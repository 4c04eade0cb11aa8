import { describe, expect, it } from "vitest";
import {
  chiSquareQuantile,
  chiSquareUpperTail,
  fUpperTail,
  normalQuantile,
  normalUpperTail,
  tQuantile,
  tUpperTail,
} from "./distributions.ts";
import { incompleteBeta, logGamma } from "./specialFunctions.ts";
import { fixtures } from "./testing/fixtures.ts";

const { distributions } = fixtures;

/** Maximum relative error against SciPy. Each row contains arguments, followed by SciPy's value. */
function worstError(rows: readonly number[][], ours: (...args: number[]) => number): number {
  return Math.max(
    ...rows.map((row) => {
      const expected = row.at(-1) ?? NaN;
      const actual = ours(...row.slice(0, -1));
      // Values below the smallest normal double both count as 0.
      if (Math.abs(expected) < 1e-300 && Math.abs(actual) < 1e-300) return 0;
      return expected === 0 ? Math.abs(actual) : Math.abs(actual / expected - 1);
    }),
  );
}

describe("against SciPy, to ten digits", () => {
  it.each([
    ["t tails", distributions.tTails, (df: number, t: number) => tUpperTail(t, df)],
    ["t quantiles", distributions.tQuantiles, (df: number, p: number) => tQuantile(p, df)],
    ["F tails", distributions.fTails, (a: number, b: number, f: number) => fUpperTail(f, a, b)],
    ["chi-square tails", distributions.chiSquareTails, (df: number, x: number) => chiSquareUpperTail(x, df)],
    ["chi-square quantiles", distributions.chiSquareQuantiles, (df: number, p: number) => chiSquareQuantile(p, df)],
    ["normal tails", distributions.normalTails, normalUpperTail],
    ["incomplete beta", distributions.incompleteBetas, (a: number, b: number, x: number) => incompleteBeta([a, b], x)],
    ["ln Γ", distributions.logGammas, logGamma],
  ])("%s", (_, rows, ours) => {
    expect(rows.length).toBeGreaterThan(5);
    expect(worstError(rows, ours)).toBeLessThan(1e-10);
  });
});

it("inverts the normal distribution", () => {
  expect(normalQuantile(0.975)).toBeCloseTo(1.959963984540054, 12);
  expect(normalQuantile(0.025)).toBeCloseTo(-1.959963984540054, 12);
  expect([normalQuantile(0), normalQuantile(1)]).toEqual([NaN, NaN]);
});

it("has no probability for what is no number", () => {
  expect([tUpperTail(NaN, 4), fUpperTail(NaN, 1, 4), chiSquareUpperTail(NaN, 1)]).toEqual([NaN, NaN, NaN]);
});
