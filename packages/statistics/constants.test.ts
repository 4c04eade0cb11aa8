import { describe, expect, it } from "vitest";
import { compareMethods } from "./compare.ts";
import { commonLanguageEffect } from "./effectSize.ts";
import { starsOf } from "./evidence.ts";
import { parseLongFormat } from "./longFormat.ts";
import { mannWhitneyTest, pairedTTest, welchTest } from "./twoSampleTests.ts";
import { rank } from "./ranks.ts";
import { interquartileMean, lowerTailMean, median, optimalityGap, quantile, std } from "./summary.ts";

const tenths = [0.1, 0.1, 0.1, 0.1, 0.1, 0.1];
const sevenths = tenths.map(() => 0.7);

describe("samples that never vary", () => {
  it("have no deviation, though their mean is rounded", () => {
    expect([std(tenths), std(sevenths)]).toEqual([0, 0]);
  });

  it("have no t-test: there is no spread to measure a difference by", () => {
    const varied = [0.1, 0.3, 0.2, 0.5];
    for (const { p, t, interval, difference } of [welchTest(tenths, sevenths), welchTest(varied, tenths)]) {
      expect([p, t, interval.low, interval.high]).toEqual([NaN, NaN, NaN, NaN]);
      expect(difference).not.toBeNaN();
    }
    expect(welchTest(tenths, sevenths).difference).toBeCloseTo(-0.6, 12);
    expect(pairedTTest([0.3, 0.4, 0.9, 1.2], [0.1, 0.2, 0.7, 1]).p).toBeNaN();
  });

  it("earn no star against each other, and do against one that varies", () => {
    const varied = [0.1, 0.2, 0.12, 0.13, 0.15];
    expect([starsOf(0.001, tenths, sevenths), starsOf(0.008, varied, sevenths)]).toEqual(["", "**"]);
  });

  const compare = (test: "welch" | "permutation" | "mannWhitney", other: readonly number[]) => {
    const lines = Object.entries({ GRPO: tenths, GSPO: other }).flatMap(([method, values]) =>
      values.map((value, seed) => `sokoban,${method},${seed},${value}`),
    );
    const { panels, notes } = compareMethods(parseLongFormat(["env,method,seed,value", ...lines].join("\n")), { test });
    return { against: panels[0]?.methods[1]?.against, notes: notes.join("\n") };
  };

  it("are named below a comparison, which has no p by Welch and an exact one without stars otherwise", () => {
    const { against, notes } = compare("welch", sevenths);
    expect(against).toMatchObject({ p: NaN, correctedP: NaN, stars: "" });
    expect(notes).toContain("Constant: GRPO (6 seeds, all 0.1); GSPO (6 seeds, all 0.7).");
    for (const test of ["permutation", "mannWhitney"] as const) {
      expect(compare(test, sevenths).against).toMatchObject({ p: expect.closeTo(2 / 924, 12), stars: "" });
    }
    expect(compare("permutation", [0.7, 0.6, 0.8, 0.7, 0.9, 0.75])).toMatchObject({
      against: { stars: "**" },
      notes: expect.stringContaining("Constant: GRPO (6 seeds, all 0.1)."),
    });
  });
});

describe("a value that is no number", () => {
  const values = [1, NaN, 2, 3, 4, 5, 6, 7];

  it("leaves ranks, and makes no endless loop of them", () => {
    expect(rank([2, NaN, 1])).toEqual({ ranks: [NaN, NaN, NaN], tieSizes: [] });
    expect(rank([2, -Infinity, Infinity, Infinity]).ranks).toEqual([2, 1, 3.5, 3.5]);
    expect(mannWhitneyTest([1, NaN], [2, 3]).p).toBeNaN();
    expect(commonLanguageEffect([1, NaN], [0, 1])).toBeNaN();
  });

  it("is not taken for the largest by medians, quantiles and trimmed means", () => {
    const numbers = [median(values), quantile(values, 0.25), interquartileMean(values), lowerTailMean(values)];
    expect([...numbers, optimalityGap(values)]).toEqual([NaN, NaN, NaN, NaN, NaN]);
    expect([quantile([1, Infinity, Infinity], 0.75), quantile([-Infinity, 1, 2], 0.5)]).toEqual([Infinity, 1]);
  });
});
