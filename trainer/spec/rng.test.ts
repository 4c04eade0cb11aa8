import { describe, expect, it } from "vitest";
import { split, type Rng } from "./rng.ts";

const draws = (rng: Rng, count = 5): number[] => Array.from({ length: count }, () => rng.next());
const meanOf = (values: readonly number[]): number => values.reduce((total, x) => total + x, 0) / values.length;

describe("streams", () => {
  it("are equal for equal paths, however they were reached", () => {
    expect(draws(split(7, "rollout", 3))).toEqual(draws(split("7", "rollout", "3")));
  });

  it("differ for different seeds, paths and lengths of path", () => {
    const firsts = [split(0), split(1), split(0, "a"), split(0, "b"), split(0, 0), split(0, 0, 0), split(0, "a", 1)];
    expect(new Set(firsts.map((rng) => rng.next())).size).toBe(firsts.length);
  });

  it("are not correlated for neighbouring seeds", () => {
    const pairs = Array.from({ length: 4000 }, (_, seed) => [split(seed).next(), split(seed + 1).next()] as const);
    const covariance = meanOf(pairs.map(([x, y]) => (x - 0.5) * (y - 0.5)));
    // The standard error of the covariance is 1/12/√4000 ≈ 0.0013.
    expect(Math.abs(covariance)).toBeLessThan(0.006);
  });

  it("never change: stored runs must stay reproducible", () => {
    expect(draws(split(42, "rollout", 1), 3)).toEqual([0.9849614294338319, 0.5587219070349057, 0.7525310041779523]);
  });
});

describe("draws over 100,000", () => {
  const rng = split(1, "distribution");
  const numDraws = 100_000;

  it("next is uniform in [0, 1)", () => {
    const values = draws(rng, numDraws);
    expect(values.every((x) => x >= 0 && x < 1)).toBe(true);
    expect(meanOf(values)).toBeCloseTo(0.5, 2);
    expect(meanOf(values.map((x) => (x - 0.5) ** 2))).toBeCloseTo(1 / 12, 2);
  });

  it("int is uniform over 0 … n − 1", () => {
    const counts = [0, 0, 0, 0, 0, 0, 0];
    for (let i = 0; i < numDraws; i++) {
      const x = rng.int(7);
      counts[x] = (counts[x] ?? NaN) + 1;
    }
    expect(counts).toHaveLength(7);
    // χ² with 6 degrees of freedom exceeds 27.9 with probability 1/10,000.
    const expected = numDraws / 7;
    expect(counts.reduce((total, x) => total + (x - expected) ** 2 / expected, 0)).toBeLessThan(27.9);
  });

  it("normal has mean 0, variance 1, no skew and kurtosis 3", () => {
    const values = Array.from({ length: numDraws }, () => rng.normal());
    const moment = (power: number): number => meanOf(values.map((x) => x ** power));
    expect(values.every(Number.isFinite)).toBe(true);
    expect(moment(1)).toBeCloseTo(0, 1);
    expect(moment(2)).toBeCloseTo(1, 1);
    expect(Math.abs(moment(3))).toBeLessThan(0.06);
    expect(Math.abs(moment(4) - 3)).toBeLessThan(0.15);
  });
});
