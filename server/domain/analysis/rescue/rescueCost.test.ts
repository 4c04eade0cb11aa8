import { describe, expect, it } from "vitest";
import { mean, squaredDeviations } from "#packages/statistics";
import { compareCost, countIndependent, describeCost, varianceOfRun, type CostedRun } from "./rescueCost.ts";

const branch = (origin: string, arm: string, success: number): CostedRun => {
  return { origin, iteration: 18, arm, success, numIterations: 30, numWhole: 48, ms: 60_000 };
};
const branches = (arm: string, values: Record<string, readonly number[]>): CostedRun[] =>
  Object.entries(values).flatMap(([origin, own]) => own.map((success) => branch(origin, arm, success)));

const unchanged = { a: [0.2, 0.3, 0.4], b: [0.5, 0.4, 0.6], c: [0.1, 0.1, 0.4] };
const masked = { a: [0.4, 0.5, 0.6], b: [0.6, 0.6, 0.9], c: [0.4, 0.4, 0.4] };

describe("the cost of a rescue experiment beside independent runs", () => {
  it("takes the variance of a run from the analysis of variance with random origins", () => {
    const groups = Object.values(unchanged);
    // In a balanced design, the variance between origins is (MSB − MSW) / n, from the mean squares between and within.
    const msw = groups.reduce((sum, own) => sum + squaredDeviations(own), 0) / 6;
    const msb = (3 * squaredDeviations(groups.map((own) => mean(own)))) / 2;
    expect(varianceOfRun(branches("nothing", unchanged))).toBeCloseTo(msw + (msb - msw) / 3, 12);
    // If the means of origins do not differ, the variance between origins is 0.
    const alike = { a: [0, 1], b: [1, 0] };
    expect(varianceOfRun(branches("nothing", alike))).toBeCloseTo(0.5, 12);
    expect(varianceOfRun(branches("nothing", { a: [0.4], b: [0.6] }))).toBeNaN();
  });

  // Expected values from R: qt(.975, 2 * n - 2) * sqrt(2 / n) <= half; with variances 1 and 4, df = 25 / 17 (n − 1).
  it.each([
    [[1, 1], 0.5, 32],
    [[1, 1], 1, 9],
    [[1, 4], 0.5, 79],
    [[0, 0], 0.5, 2],
  ] as const)("finds the runs whose interval is as narrow: variances %j, %f to each side → %i", ([a, b], half, n) => {
    expect(countIndependent([a, b], half)).toBe(n);
  });

  it("counts runs, iterations and time of both designs, with one set of unchanged runs", () => {
    const runs = [...branches("nothing", unchanged), ...branches("mask", masked)];
    const differences = [0.2, 0.2, 0.2].map((x, i) => x + 0.05 * i);
    const cost = compareCost({ all: runs, compared: runs }, "nothing", [{ arm: "mask", differences }]);
    // Half-width by t with two degrees of freedom, and a standard deviation of 0.05 over three origins.
    const half = (4.302653 * 0.05) / Math.sqrt(3);
    const n = countIndependent([varianceOfRun(branches("x", masked)), varianceOfRun(branches("x", unchanged))], half);
    expect(n).toBeGreaterThan(9);
    expect(cost).toEqual({
      branches: { numRuns: 18, numIterations: 540, ms: 1_080_000 },
      origins: { numRuns: 3, numIterations: 144, ms: 288_000 },
      independent: { numRuns: 2 * n, numIterations: 96 * n, ms: 192_000 * n },
      perArm: { min: n, max: n },
    });
    expect(cost && describeCost(cost)).toMatch(
      /^Cost of the experiment: 18 branches \(540 iterations, 18 min\)\. Cost of the runs that the branches continue: 3 runs \(144 iterations, 4 min 48 s\)\. For equally narrow intervals, .* would need about \d+ runs per change, in total \d+ runs \(/,
    );
    expect(compareCost({ all: runs, compared: runs }, "nothing", [{ arm: "mask", differences: [0.2] }])).toBeNull();
  });
});
