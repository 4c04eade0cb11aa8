import { describe, expect, it } from "vitest";
import { beforeTraining, best, finalWindow, finalWindowLength, last } from "./series.ts";
import { meanInterval, tQuantile } from "./distributions.ts";
import { interquartileMean, mean, median, sem, std } from "./summary.ts";

// Reference values were computed with numpy and scipy.
const x = [72.4, 75.1, 69.8, 78, 74.2];
const y = [61, 70.3, 55.4, 66.8, 63.5];
const pooled = [0.2, 0.55, 0.9, 0.4, 0.6, 0.95, 0.3, 0.1, 1, 0.25, 0.65, 0.85];

describe("summaries over seeds", () => {
  it("uses the sample standard deviation", () => {
    expect([mean(x), mean(y)]).toEqual([expect.closeTo(73.9, 10), expect.closeTo(63.4, 10)]);
    expect([std(x), std(y)]).toEqual([expect.closeTo(3.0578, 4), expect.closeTo(5.6776, 4)]);
    expect(sem(x)).toBeCloseTo(1.36748, 5);
  });

  it("has no deviation for one seed and no mean for none", () => {
    expect([std([1]), mean([]), median([]), sem([1])]).toEqual([NaN, NaN, NaN, NaN]);
  });

  it("takes medians and interquartile means", () => {
    expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]);
    expect(interquartileMean([1, 2, 3, 4, 5, 6, 7, 8, 9, 100])).toBe(5.5);
    expect(interquartileMean(pooled)).toBeCloseTo(0.558333, 6);
    expect(interquartileMean([1, 2, 6])).toBe(3);
  });

  it.each([
    [2, 4.30265],
    [3, 3.18245],
    [4, 2.77645],
    [7, 2.36462],
    [9, 2.26216],
    [1, 12.7062],
    [1e6, 1.95997],
  ])("knows the t quantile for %i degrees of freedom", (df, expected) => {
    expect(Number(tQuantile(0.975, df).toPrecision(6))).toBeCloseTo(expected, 4);
    expect(tQuantile(0.025, df)).toBeCloseTo(-tQuantile(0.975, df), 12);
  });

  it("inverts the t distribution where it has a closed form", () => {
    // Closed forms of the quantile: tan(π(p − ½)) for df 1, and (2p − 1)·√(2 / (4p(1 − p))) for df 2.
    for (const p of [0.6, 0.9, 0.99, 0.9999]) {
      expect(tQuantile(p, 1) / Math.tan(Math.PI * (p - 0.5))).toBeCloseTo(1, 9);
      expect(tQuantile(p, 2) / ((2 * p - 1) * Math.sqrt(2 / (4 * p * (1 - p))))).toBeCloseTo(1, 9);
    }
    expect([tQuantile(0.5, 5), tQuantile(1, 5), tQuantile(0.9, 0)]).toEqual([expect.closeTo(0, 9), NaN, NaN]);
  });

  it("keeps a quantile for later calls, however many others a process has asked for", () => {
    for (let i = 1; i <= 1100; i++) tQuantile(0.9, i / 7);
    const microsecondsOf = (probabilities: readonly number[]) => {
      const before = process.cpuUsage().user;
      for (const p of probabilities) tQuantile(p, 12);
      return process.cpuUsage().user - before;
    };
    const once = microsecondsOf(Array.from({ length: 500 }, (_, i) => 0.6 + i / 10_000));
    const again = microsecondsOf(Array.from({ length: 500 }, () => 0.987));
    expect(again).toBeLessThan(once / 4);
  });

  it("gives the t interval of the mean", () => {
    expect(meanInterval(x).halfWidth).toBeCloseTo(3.79673, 5);
    expect(meanInterval([1]).halfWidth).toBeNaN();
  });
});

describe("numbers of a curve", () => {
  const curve = { iterations: Int32Array.of(0, 10, 20, 40, 50), values: Float64Array.of(0.1, 0.3, 0.5, 0.6, 0.4) };
  const make = (values: number[]) => ({
    iterations: Int32Array.from(values, (_, i) => i),
    values: Float64Array.from(values),
  });

  it("reads the best and the last value, and the start", () => {
    expect(best(curve, "up")).toEqual({ iteration: 40, value: 0.6 });
    expect(best(curve, "down")).toEqual({ iteration: 10, value: 0.3 });
    expect(last(curve)).toEqual({ iteration: 50, value: 0.4 });
    expect(beforeTraining(curve)).toBe(0.1);
  });

  it("averages the last tenth of the evaluations, at least three", () => {
    expect([1, 20, 30, 31, 100].map(finalWindowLength)).toEqual([3, 3, 3, 4, 10]);
    expect(finalWindow(curve)).toEqual({ value: expect.closeTo(0.5, 12), numEvaluations: 3, numNonFinite: 0 });
  });

  it("never counts the policy before training", () => {
    expect(finalWindow(make([0.9, 0.1]))).toEqual({ value: 0.1, numEvaluations: 1, numNonFinite: 0 });
    expect(finalWindow(make([0.9])).value).toBeNaN();
    expect(best(make([0.9, 0.1]), "up").value).toBe(0.1);
  });

  it("counts the one evaluation of a run that trains no iteration", () => {
    const cloned = { ...make([0.9]), isUntrained: true as const };
    expect(finalWindow(cloned)).toEqual({ value: 0.9, numEvaluations: 1, numNonFinite: 0 });
    expect(best(cloned, "up")).toEqual({ iteration: 0, value: 0.9 });
  });

  it("leaves non-finite evaluations out and counts them", () => {
    expect(finalWindow(make([0, 1, 2, NaN, 4]))).toEqual({ value: 3, numEvaluations: 2, numNonFinite: 1 });
    expect(last(make([0, 1, NaN]))).toEqual({ iteration: 1, value: 1 });
    expect(beforeTraining(make([]))).toBeNaN();
  });
});
