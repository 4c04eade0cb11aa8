import { describe, expect, it } from "vitest";
import { bootstrapImprovement, commonLanguageEffect } from "./effectSize.ts";
import { mannWhitneyTest, pairedTTest, welchTest } from "./twoSampleTests.ts";
import { permutationTest } from "./permutationTest.ts";
import { isTied, rank, toRanks } from "./ranks.ts";
import { makeRocArea } from "./rocArea.ts";
import { isConstant, std } from "./summary.ts";

/** Returns the next double above or below x. */
function nudge(x: number, by: 1 | -1): number {
  const bits = new BigInt64Array(1);
  const value = new Float64Array(bits.buffer);
  value[0] = x;
  bits[0] = (bits[0] ?? 0n) + BigInt(by);
  return value[0];
}

const x = [0.3, 0.45, 0.45, 0.6, 0.6];
const y = [0.3, 0.3, 0.45, 0.75, 0.6];
const nudged = (values: readonly number[]) =>
  values.map((value, i) => (i % 2 === 0 ? nudge(value, 1) : nudge(value, -1)));
const [nearX, nearY] = [nudged(x), nudged(y)];

describe("values one unit of the last place apart", () => {
  it("are a tie, and others are none", () => {
    expect([0.1, 1e-300, 1e300, -3].every((value) => isTied(value, nudge(value, 1)))).toBe(true);
    expect(isTied(0.1 + 0.2, 0.3)).toBe(true);
    expect([isTied(1, 1 + 1e-12), isTied(0, 1e-300), isTied(Infinity, -Infinity), isTied(NaN, NaN)]).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(isTied(Infinity, Infinity)).toBe(true);
  });

  it("share a rank", () => {
    expect(rank(nearX)).toEqual(rank(x));
    const [ranks, near] = [toRanks([...x, ...y]), toRanks([...nearX, ...nearY])];
    expect([...nearX, ...nearY].map((value) => near.get(value))).toEqual([...x, ...y].map((value) => ranks.get(value)));
  });

  it("are equal in tests by ranks and permutation, and in the chance to win", () => {
    expect(mannWhitneyTest(nearX, nearY)).toEqual(mannWhitneyTest(x, y));
    expect(mannWhitneyTest(nearX, nearY, "asymptotic")).toEqual(mannWhitneyTest(x, y, "asymptotic"));
    expect(commonLanguageEffect(nearX, nearY)).toBe(commonLanguageEffect(x, y));
    expect(permutationTest(nearX, nearY).p).toBe(permutationTest(x, y).p);
    const options = { numResamples: 500 };
    expect(bootstrapImprovement([nearX], [nearY], options)).toEqual(bootstrapImprovement([x], [y], options));
  });

  it("are equal scores of a detector", () => {
    const score = (values: readonly number[]) =>
      makeRocArea(
        values.map((value, unit) => ({ value, isEvent: unit > 2, unit })).toSorted((a, b) => a.value - b.value),
        values.length,
      )(values.map(() => 1));
    expect(score(nudged([0.5, 0.5, 0.5, 0.5]))).toBe(0.5);
  });

  it("are a constant, which has no t-test", () => {
    const constant = nudged([0.3, 0.3, 0.3]);
    expect([isConstant(constant), std(constant)]).toEqual([true, 0]);
    expect(welchTest(constant, x).p).toBeNaN();
    expect(pairedTTest(nearX, x).p).toBeNaN();
  });
});
