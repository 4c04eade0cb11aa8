import { describe, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { std } from "#server/domain/statistics/summary.ts";
import { groupByIteration } from "./group.ts";
import type { Curve } from "./series.ts";

const curve = (iterations: number[], values: number[]): Curve => ({
  iterations: Int32Array.from(iterations),
  values: Float64Array.from(values),
});

describe("groupByIteration", () => {
  it("gives mean, sample deviation and count per iteration", () => {
    const group = groupByIteration([curve([0, 1], [1, 10]), curve([0, 1], [2, 20]), curve([0, 1], [6, 60])]);
    expect([...group.mean]).toEqual([3, 30]);
    expect([...group.std]).toEqual([std([1, 2, 6]), std([10, 20, 60])]);
    expect([...group.n]).toEqual([3, 3]);
  });

  it("leaves out values that are not finite", () => {
    const group = groupByIteration([curve([5, 6], [1, NaN]), curve([5, 6], [Infinity, NaN]), curve([5], [3])]);
    expect([...group.mean]).toEqual([2, NaN]);
    expect([...group.n]).toEqual([2, 0]);
    expect(group.std[1]).toBeNaN();
  });

  it("has no deviation where one run is left", () => {
    expect([...groupByIteration([curve([0, 1], [1, 2]), curve([0], [3])]).std]).toEqual([Math.SQRT2, NaN]);
  });

  it("takes the union of irregular iterations and carries nothing on", () => {
    const group = groupByIteration([curve([0, 5, 10], [0, 5, 10]), curve([0, 4], [2, 4])]);
    expect([...group.iterations]).toEqual([0, 4, 5, 10]);
    expect([...group.n]).toEqual([2, 1, 1, 1]);
    expect([...group.mean]).toEqual([1, 4, 5, 10]);
  });

  it("takes iterations millions apart", () => {
    const group = groupByIteration([curve([0, 100_000_000], [1, 2]), curve([7, 100_000_000], [3, 4])]);
    expect([...group.iterations]).toEqual([0, 7, 100_000_000]);
    expect([...group.mean]).toEqual([1, 3, 3]);
  });

  it("is empty for no curves and for empty curves", () => {
    expect(groupByIteration([]).iterations).toHaveLength(0);
    expect(groupByIteration([curve([], [])]).mean).toHaveLength(0);
  });

  it("equals the plain loop on random runs of different lengths", () => {
    const rng = split(1, "group");
    const curves = Array.from({ length: 30 }, () => {
      const length = 1 + rng.int(80);
      const values = Array.from({ length }, () => (rng.next() < 0.1 ? NaN : 1e6 + rng.normal()));
      return curve(
        Array.from({ length }, (_, i) => 3 * i),
        values,
      );
    });
    const group = groupByIteration(curves);
    for (const [slot, iteration] of group.iterations.entries()) {
      const values = curves.flatMap(({ iterations, values }) => [values[iterations.indexOf(iteration)] ?? NaN]);
      const finite = values.filter((x) => Number.isFinite(x));
      expect(group.n[slot]).toBe(finite.length);
      if (finite.length === 0) continue;
      expect(group.mean[slot]).toBeCloseTo(finite.reduce((sum, x) => sum + x, 0) / finite.length, 6);
      if (finite.length < 2) expect(group.std[slot]).toBeNaN();
      else expect(group.std[slot]).toBeCloseTo(std(finite), 6);
    }
  });
});
