import { expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { dominates, frontRanks, hypervolume } from "./pareto.ts";
import { fixtures } from "./testing/fixtures.ts";

it.each(fixtures.volumes)("has the hypervolume that Optuna computes: $volume", ({ points, volume }) => {
  expect(hypervolume(points, points[0]?.map(() => 1) ?? [])).toBeCloseTo(volume, 10);
});

it("ranks fronts as peeling by definition does, ties and all", () => {
  const rng = split(3, "fronts");
  for (let trial = 0; trial < 20; trial++) {
    const points = Array.from({ length: 12 }, () => [rng.int(5), rng.int(5), rng.int(2)]);
    const ranks = frontRanks(points);
    for (const [i, point] of points.entries()) {
      const above = points.flatMap((other, j) => (dominates(other, point) ? [ranks[j] ?? NaN] : []));
      // The rank of a point is the length of the longest chain of dominating points that ends at it.
      expect(ranks[i]).toBe(Math.max(-1, ...above) + 1);
    }
  }
});
