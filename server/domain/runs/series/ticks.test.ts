import { expect, it } from "vitest";
import { iterationTicks, linearTicks, logTicks, thinTicks } from "./ticks.ts";

it.each([
  [0, 0.93, [0, 0.2, 0.4, 0.6, 0.8, 1]],
  [-0.012, 0.031, [-0.02, -0.01, 0, 0.01, 0.02, 0.03, 0.04]],
  [3, 3, [3, 4]],
  [1, 1 + 4e-16, [1, 1.2]],
  [0, 0, [0, 1]],
  [0, 3e-9, [0, 1e-9, 2e-9, 3e-9]],
])("covers %d to %d with round numbers", (min, max, ticks) => {
  expect(linearTicks(min, max)).toEqual(ticks);
});

it.each([
  ["0 to 0.7 in eight, at most five", linearTicks(0, 0.62, 8), 5, [0, 0.2, 0.4, 0.6]],
  ["0 to 0.6 in seven, at most five", linearTicks(0, 0.55), 5, [0, 0.2, 0.4, 0.6]],
  ["nine, at most four", [0, 1, 2, 3, 4, 5, 6, 7, 8], 4, [0, 4, 8]],
  ["all that fit", [0, 1, 2], 5, [0, 1, 2]],
])("thins %s at equal distances", (_, ticks, most, thinned) => {
  expect(thinTicks(ticks, most)).toEqual(thinned);
});

it("keeps the distances of every axis equal, however little room there is", () => {
  for (const max of [0.11, 0.3, 0.55, 0.66, 0.7, 0.93, 1, 3, 7, 40])
    for (const most of [2, 3, 4, 5, 6]) {
      const ticks = thinTicks(linearTicks(0, max), most);
      expect(ticks.length).toBeLessThanOrEqual(most);
      const gaps = ticks.slice(1).map((tick, i) => tick - (ticks[i] ?? 0));
      for (const gap of gaps) expect(gap).toBeCloseTo(gaps[0] ?? 0, 9);
    }
});

it("thins a log axis to its decades first", () => {
  expect(thinTicks(logTicks(0.03, 0.4), 4, "log")).toEqual([0.01, 0.1, 1]);
  expect(thinTicks(logTicks(1e-3, 1e3), 4, "log")).toEqual([1e-3, 1e-1, 10, 1e3]);
});

it("has whole iterations only, and none beyond the data", () => {
  expect(iterationTicks(0, 3)).toEqual([0, 1, 2, 3]);
  expect(iterationTicks(0, 200)).toEqual([0, 50, 100, 150, 200]);
});

it("marks decades on a log axis, with 2 and 5 between when there are few", () => {
  expect(logTicks(0.03, 0.4)).toEqual([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]);
  expect(logTicks(0.001, 1000)).toEqual([0.001, 0.01, 0.1, 1, 10, 100, 1000]);
});

it("thins decades when a gradient explodes over many of them", () => {
  expect(logTicks(1e-3, 1e21).length).toBeLessThanOrEqual(8);
});
