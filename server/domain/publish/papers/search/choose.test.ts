import { describe, expect, it } from "vitest";
import { chooseSetting, readEnding, settled, type Ending } from "./choose.ts";

const ending = (final: number, spread: number, before = 0.4): Ending => ({ before, final, spread });
const [calm, wild] = [settled / 2, 2 * settled];

describe("the rule of a search", () => {
  it.each([
    ["the published setting where it has settled, whatever others reach", [ending(0.5, calm), ending(0.9, calm)], 0],
    ["the first that has settled", [ending(0.9, wild), ending(0.5, calm), ending(0.6, calm)], 1],
    ["the highest where none has", [ending(0.5, wild), ending(0.6, wild)], 1],
    ["none for the calm of a policy that succeeds at nothing", [ending(0, 0), ending(0.5, calm)], 1],
    ["one that has logged something before one that has not", [ending(NaN, NaN, NaN), ending(0.1, wild)], 1],
    ["what has settled where nothing was evaluated before training", [ending(0.5, calm, NaN), ending(0.6, calm)], 0],
  ])("chooses %s", (_, endings, index) => {
    expect(chooseSetting(endings)).toBe(index);
  });

  it("chooses nothing where nothing was logged", () => {
    expect(chooseSetting([ending(NaN, NaN, NaN)])).toBeUndefined();
    expect(chooseSetting([])).toBeUndefined();
  });
});

describe("how a run ends", () => {
  const curve = (values: readonly number[], every: number) => ({
    iterations: Int32Array.from(values, (_, i) => i * every),
    values: Float64Array.from(values),
  });

  it("is mean and deviation over the last fifth of training", () => {
    // The iterations are 0, 5, …, 100, so the last fifth is after iteration 80.
    const values = Array.from({ length: 21 }, (_, i) => (i > 16 ? 0.5 + (i % 2) / 10 : 0.1));
    const { before, final, spread } = readEnding(curve(values, 5));
    expect([before, final]).toEqual([0.1, expect.closeTo(0.55, 10)]);
    expect(spread).toBeCloseTo(0.1 / Math.sqrt(3), 10);
  });

  it("is of three evaluations at least, and leaves out what is not finite", () => {
    expect(readEnding(curve([0.2, 0.1, 0.4, NaN, 0.5, 0.6], 6)).final).toBeCloseTo(0.5, 10);
    expect(readEnding(curve([0.2], 6)).final).toBeNaN();
  });
});
