import { expect, it } from "vitest";
import { kaplanMeier } from "#server/domain/statistics/survival.ts";
import { countAtRisk, setOff } from "./preparePaths.ts";

const curve = (...times: [number, boolean][]) => kaplanMeier(times.map(([time, isEvent]) => ({ time, isEvent })));

it("sets off curves that are the same, however their runs were censored, and no others", () => {
  const spared = [curve([50, false], [50, false]), curve([40, false]), curve([50, false])];
  expect(setOff([...spared, curve([20, true], [50, false])])).toEqual([0, 2, 4, 0]);
  expect(setOff(Array.from({ length: 13 }, () => curve([50, false]))).at(-1)).toBeCloseTo(12);
});

it("counts the runs at risk just before a time, of 5 with ends at 10, 20 (twice), 30 and 40", () => {
  const five = curve([10, true], [20, true], [20, false], [30, false], [40, true]);
  expect([0, 10, 11, 20, 21, 40, 41].map((time) => countAtRisk(five, time))).toEqual([5, 5, 4, 4, 2, 1, 0]);
});
