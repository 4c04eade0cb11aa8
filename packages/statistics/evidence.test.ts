import { describe, expect, it } from "vitest";
import { detectableDifference, explainEvidence, judgeEvidence, toStars, tTestPower } from "./evidence.ts";
import { selectionBias, warnOfSelection } from "./selectionBias.ts";
import { fixtures } from "./testing/fixtures.ts";

describe("power of a t-test", () => {
  it.each([
    [3, 0.293],
    [5, 0.549],
    [8, 0.797],
    [10, 0.887],
  ])("with %i seeds finds 1.5 standard deviations with this chance", (n, power) => {
    expect(tTestPower(1.5, n)).toBeCloseTo(power, 3);
  });

  it("finds no less than 3.08 standard deviations with 3 seeds and 2.03 with 5, in steps of .01", () => {
    const inSteps = [3, 5].map((n) => Math.ceil(100 * detectableDifference(n)) / 100);
    expect(inSteps).toEqual([3.08, 2.03]);
    expect([3.07, 3.08].map((d) => tTestPower(d, 3) >= 0.8)).toEqual([false, true]);
    expect([2.02, 2.03].map((d) => tTestPower(d, 5) >= 0.8)).toEqual([false, true]);
  });

  it.each(fixtures.powers)("of %d standard deviations with %i seeds as statsmodels has it", (d, n, power) => {
    expect(tTestPower(d ?? NaN, n ?? NaN)).toBeCloseTo(power ?? NaN, 6);
  });
});

describe("what a number of seeds can carry", () => {
  it("is nothing below three, an interval with a badge below five, stars from five on", () => {
    expect([1, 2, 3, 4, 5, 10].map(judgeEvidence)).toEqual([
      "none",
      "none",
      "underpowered",
      "underpowered",
      "full",
      "full",
    ]);
  });

  it("has no stars below five seeds, however small p is", () => {
    expect([2, 3, 4].map((n) => toStars(1e-9, n))).toEqual(["", "", ""]);
    expect([0.06, 0.05, 0.049, 0.0099, 0.0009, NaN].map((p) => toStars(p, 5))).toEqual(["", "", "*", "**", "***", ""]);
  });

  it("explains itself", () => {
    expect(explainEvidence(1)).toBe("single seed: no interval and no test");
    expect(explainEvidence(3)).toContain("above 3.1 standard deviations");
  });
});

describe("the best of several checkpoints", () => {
  it("looks 7.4 points too good of 20 and 8.5 of 40, on a flat 70% over 128 episodes", () => {
    const bias = (numCheckpoints: number) => 100 * selectionBias(0.7, { numEpisodes: 128, numCheckpoints });
    expect([bias(1), bias(20), bias(40)]).toEqual([
      expect.closeTo(0, 9),
      expect.closeTo(7.4, 1),
      expect.closeTo(8.5, 1),
    ]);
    expect(warnOfSelection({ numEpisodes: 128, numCheckpoints: 40 })).toContain("8.5 points higher");
  });

  it.each(fixtures.selection)(
    "as the sum of the distribution function: p %d, %i episodes, %i checkpoints",
    (p, n, k, bias) => {
      expect(selectionBias(p ?? NaN, { numEpisodes: n ?? NaN, numCheckpoints: k ?? NaN })).toBeCloseTo(bias ?? NaN, 11);
    },
  );
});
