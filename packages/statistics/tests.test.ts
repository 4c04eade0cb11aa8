import { describe, expect, it } from "vitest";
import {
  cliffDelta,
  cohenD,
  commonLanguageEffect,
  glassDelta,
  hedgesCorrection,
  hedgesG,
  relativeDifference,
} from "./effectSize.ts";
import { fisherTest, mannWhitneyTest, pairedTTest, welchTest } from "./twoSampleTests.ts";
import { permutationTest, permutationTests } from "./permutationTest.ts";
import { fixtures } from "./testing/fixtures.ts";

const x = [72.4, 75.1, 69.8, 78, 74.2];
const y = [61, 70.3, 55.4, 66.8, 63.5];

describe("the worked comparison of five seeds each", () => {
  it("Welch's t", () => {
    const { t, df, p, interval } = welchTest(x, y);
    expect(t).toBeCloseTo(3.640877, 6);
    expect(df).toBeCloseTo(6.140382, 6);
    expect(p).toBeCloseTo(0.0103951, 7);
    expect([interval.low, interval.high]).toEqual([expect.closeTo(3.4822, 4), expect.closeTo(17.5178, 4)]);
  });

  it("Mann–Whitney, exact and asymptotic", () => {
    expect(mannWhitneyTest(x, y)).toEqual({ u: 24, p: expect.closeTo(0.015873, 7), method: "exact" });
    expect(mannWhitneyTest(x, y, "asymptotic").p).toBeCloseTo(0.0215717, 7);
  });

  it("all 252 permutations of the means", () => {
    const { p, numArrangements, method } = permutationTest(x, y);
    expect({ p, numArrangements, method }).toEqual({ p: 4 / 252, numArrangements: 252, method: "exact" });
  });

  it("paired t", () => {
    const { t, p } = pairedTTest(x, y);
    expect(t).toBeCloseTo(6.7055, 4);
    expect(p).toBeCloseTo(0.0025742, 7);
  });

  it("effect sizes", () => {
    expect(cohenD(x, y)).toBeCloseTo(2.302692, 6);
    expect(hedgesG(x, y)).toBeCloseTo(2.079851, 6);
    expect(hedgesCorrection(10)).toBeCloseTo(0.903226, 6);
    expect(glassDelta(x, y)).toBeCloseTo(1.849377, 6);
    expect([cliffDelta(x, y), commonLanguageEffect(x, y)]).toEqual([
      expect.closeTo(0.92, 12),
      expect.closeTo(0.96, 12),
    ]);
  });

  it("relative difference", () => {
    const { value, interval } = relativeDifference(x, y);
    expect(100 * value).toBeCloseTo(16.5615, 4);
    expect([100 * interval.low, 100 * interval.high]).toEqual([expect.closeTo(6.906, 3), expect.closeTo(27.089, 3)]);
  });
});

describe("Fisher's exact test of collapse rates", () => {
  it("0 of 5 against 4 of 5, and 0 of 3 against 3 of 3", () => {
    expect(fisherTest({ k: 0, n: 5 }, { k: 4, n: 5 })).toBeCloseTo(0.0476, 4);
    expect(fisherTest({ k: 0, n: 3 }, { k: 3, n: 3 })).toBeCloseTo(0.1, 12);
  });
});

it("has floors: no p of Mann–Whitney below these, however far apart", () => {
  const floors = [3, 4, 5].map((n) => {
    const low = Array.from({ length: n }, (_, i) => i);
    return mannWhitneyTest(
      low,
      low.map((value) => value + 100),
    ).p;
  });
  expect(floors).toEqual([0.1, 0.0286, 0.0079].map((p) => expect.closeTo(p, 4)));
});

describe("against SciPy", () => {
  it.each(fixtures.pairs.map((pair) => [`${pair.x.length} and ${pair.y.length} values`, pair] as const))(
    "%s",
    (_, pair) => {
      const { x, y } = pair;
      const welch = welchTest(x, y);
      expectNear([welch.t, welch.df, welch.p, welch.interval.low, welch.interval.high], pair.welch);
      const mannWhitney = mannWhitneyTest(x, y);
      expectNear([mannWhitney.u, mannWhitney.p, mannWhitneyTest(x, y, "asymptotic").p], pair.mannWhitney);
      expectNear(
        [permutationTest(x, y).p, cohenD(x, y), commonLanguageEffect(x, y)],
        [pair.permutation, pair.cohenD, pair.winShare],
      );
      if (!pair.paired) return;
      const paired = pairedTTest(x, y);
      expectNear([paired.t, paired.df, paired.p], pair.paired);
    },
  );

  it.each(fixtures.fisher)("%i of %i against %i of %i", (k, n, otherK, otherN, p) => {
    const [a, b] = [
      { k: k ?? NaN, n: n ?? NaN },
      { k: otherK ?? NaN, n: otherN ?? NaN },
    ];
    expectNear([fisherTest(a, b)], [p ?? NaN]);
  });
});

describe("edges", () => {
  it("tests nothing with a single seed", () => {
    expect([welchTest([1], [2, 3]).p, pairedTTest([1], [2]).p, permutationTest([], [1]).p]).toEqual([NaN, NaN, NaN]);
    expect(mannWhitneyTest([], [1]).p).toBeNaN();
  });

  it("tests several pairs as each alone, whatever their sizes", () => {
    const sample = (n: number) => Array.from({ length: n }, (_, i) => Math.sin(n + 3 * i));
    const [x, y] = [sample(10), sample(11)];
    const pairs = [
      { x, y },
      { x: y, y: x },
      { x: sample(4), y: x },
      { x: x.map((value) => value + 1), y },
    ];
    expect(permutationTests(pairs)).toEqual(pairs.map((pair) => permutationTest(pair.x, pair.y)));
    expect(permutationTests(pairs).map(({ method }) => method)).toEqual(["sampled", "sampled", "exact", "sampled"]);
  });

  it("draws arrangements where there are too many, repeatably, and never gives p = 0", () => {
    const low = Array.from({ length: 15 }, (_, i) => i);
    const high = low.map((value) => value + 100);
    const test = permutationTest(low, high, 3);
    expect(test).toEqual(permutationTest(low, high, 3));
    expect(test).toMatchObject({ method: "sampled", p: 1e-5 });
  });

  it("finds no difference between equal samples", () => {
    expect(permutationTest([1, 1], [1, 1]).p).toBe(1);
    expect(mannWhitneyTest([1, 1], [1, 1]).p).toBe(1);
    expect(cliffDelta([1, 1], [1, 1])).toBe(0);
  });
});

function expectNear(actual: readonly number[], expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length);
  for (const [i, x] of expected.entries()) {
    expect(Math.abs((actual[i] ?? NaN) - x)).toBeLessThanOrEqual(1e-10 * Math.max(1, Math.abs(x)));
  }
}
