import { expect, it } from "vitest";
import type { ParetoMethod } from "#server/domain/dimensions/report.ts";
import { paretoDomain, shortUnit, whyNoDesign } from "./prepareDimensions.ts";

const of = (performance: number, spread: number): ParetoMethod => ({
  method: "GRPO",
  n: 5,
  performance,
  spread,
  stability: 1,
  stabilityInterval: { low: 0.5, high: 1 },
  isOnFront: true,
  probability: 1,
});

it("calls an axis z where environments are pooled, and only there", () => {
  expect(shortUnit("z", "Success rate")).toBe("z");
  expect(shortUnit("metric", "Success rate on tasks of kinds unseen in training")).toMatch(/^Success rate on tasks/);
});

it("says why nothing is compared", () => {
  const levels = [{ factor: "clipping" as const, levels: ["token", "sapo"] }];
  expect(whyNoDesign({ levels, numRuns: 2 })).toMatch(/^Only 2 finished runs/);
  expect(whyNoDesign({ levels: [], numRuns: 9 })).toMatch(/^No dimension varies/);
});

it("holds every bar: z below zero has no zero to start from", () => {
  const [low, high] = paretoDomain([of(-1.2, 0.3), of(-0.6, 0.1), of(NaN, NaN)], "z");
  expect(low).toBeLessThanOrEqual(-1.5);
  expect(high).toBeGreaterThanOrEqual(-0.5);
  expect(high).toBeLessThan(0.5);
  expect(paretoDomain([of(0.6, NaN)], "metric")[0]).toBe(0);
});
