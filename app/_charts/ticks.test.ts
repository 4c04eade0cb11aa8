import { expect, it } from "vitest";
import { iterationTicks, linearTicks, logTicks } from "./ticks.ts";

it.each([
  [0, 0.93, [0, 0.2, 0.4, 0.6, 0.8, 1]],
  [-0.012, 0.031, [-0.02, -0.01, 0, 0.01, 0.02, 0.03, 0.04]],
  [3, 3, [3, 4]],
  [0, 3e-9, [0, 1e-9, 2e-9, 3e-9]],
])("covers %d to %d with round numbers", (min, max, ticks) => {
  expect(linearTicks(min, max)).toEqual(ticks);
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
