import { expect, it } from "vitest";
import type { ParetoMethod } from "#server/domain/analysis/effects/report.ts";
import {
  boundEffects,
  paretoDomain,
  performanceBar,
  prepareShares,
  formatIntervals,
  shortUnit,
  whyNoDesign,
} from "./prepareDimensions.ts";

const of = (performance: number, spread: number): ParetoMethod => ({
  method: "GRPO",
  n: 5,
  performance,
  interval: spread > 0 ? { low: performance - spread, high: performance + spread } : null,
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
  expect(whyNoDesign({ levels, numRuns: 2 })).toMatch(/ 2 finished runs /);
  expect(whyNoDesign({ levels, numRuns: 1 })).toMatch(/ 1 finished run /);
  expect(whyNoDesign({ levels: [], numRuns: 9 })).toMatch(/^No dimension varies/);
});

it("holds every bar: z below zero has no zero to start from", () => {
  const [low, high] = paretoDomain([of(-1.2, 0.3), of(-0.6, 0.1), of(NaN, NaN)], { unit: "z", isRate: false });
  expect(low).toBeLessThanOrEqual(-1.5);
  expect(high).toBeGreaterThanOrEqual(-0.5);
  expect(high).toBeLessThan(0.5);
  expect(paretoDomain([of(0.6, NaN)], { unit: "metric", isRate: false })[0]).toBe(0);
});

const level = (low: number, high: number) => ({
  level: "token",
  numRuns: 2,
  estimate: {
    kind: "estimate" as const,
    value: 0.95,
    standardError: 0.1,
    interval: { low, high },
    method: "t" as const,
  },
  values: [0.9, 1],
});

it("ends the intervals and bars of a rate at 0 and 1, and of nothing else", () => {
  const effects = [{ factor: "clipping" as const, levels: [level(-0.3, 1.4)], f: 1, permutationP: 0.5 }];
  const intervalOf = (isRate: boolean) => {
    const [estimate] = boundEffects(effects, isRate).flatMap(({ levels }) => levels.map((one) => one.estimate));
    return estimate?.kind === "estimate" ? estimate.interval : undefined;
  };
  expect(intervalOf(true)).toEqual({ low: 0, high: 1 });
  expect(intervalOf(false)).toEqual({ low: -0.3, high: 1.4 });
  expect(performanceBar(of(0.9, 0.3), true)).toEqual({ low: expect.closeTo(0.6), high: 1 });
  expect(performanceBar(of(0.9, NaN), true)).toBeUndefined();
  expect(paretoDomain([of(0.9, 0.3)], { unit: "metric", isRate: true })[1]).toBe(1);
});

it("marks dimensions whose test shows no effect, whatever their share", () => {
  const terms = [
    { term: "advantage", share: 0.08 },
    { term: "clipping", share: 0.38 },
    { term: "environment", share: 0.02 },
  ];
  const effects = [
    { factor: "advantage", permutationP: 0.956 },
    { factor: "clipping", permutationP: 0.012 },
  ] as const;
  const bars = prepareShares({ terms, notModelled: 0.1, seedNoise: 0.42, hasSeedNoise: true }, effects);
  expect(bars.filter(({ isShown }) => !isShown).map(({ name }) => name)).toEqual(["Advantage"]);
});

it("speaks of no interval that is not drawn", () => {
  expect(formatIntervals([level(0.8, 0.9)])).toBe("95 % intervals (t, pooled error)");
  expect(formatIntervals([level(NaN, NaN)])).toMatch(/^no intervals/);
});
