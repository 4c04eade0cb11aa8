import { expect, it } from "vitest";
import { kaplanMeier } from "#packages/statistics";
import { countAtRisk, describeCoincidences, findCoincidences, survivalPaths } from "./SurvivalFigure.tsx";

const curve = (...times: [number, boolean][]) => kaplanMeier(times.map(([time, isEvent]) => ({ time, isEvent })));

it("draws curves that are the same, however their runs were censored, at their height in stripes of all", () => {
  const spared = [curve([50, false], [50, false]), curve([40, false]), curve([50, false])];
  const found = findCoincidences([...spared, curve([20, true], [50, false])]);
  expect(found.map(({ numSame }) => numSame)).toEqual([3, 3, 3, 1]);
  expect(found.map(({ dash, offset }) => [dash, offset])).toEqual([
    ["7 14", -0],
    ["7 14", -7],
    ["7 14", -14],
    [undefined, 0],
  ]);
  expect(describeCoincidences(found)).toBe(" 3 of 4 lines coincide and are drawn as one striped line.");
  expect(describeCoincidences(findCoincidences([curve([20, true]), curve([30, true])]))).toBe("");
});

it("begins every line at the height of 1, whatever coincides with it", () => {
  const scales = { x: (time: number) => time, y: (share: number) => 100 - 100 * share };
  for (const one of [curve([50, false]), curve([40, false])]) {
    expect(survivalPaths(one, 50, scales).line).toMatch(/^M0\.0 0\.0/);
  }
});

it("counts the runs at risk just before a time, of 5 with ends at 10, 20 (twice), 30 and 40", () => {
  const five = curve([10, true], [20, true], [20, false], [30, false], [40, true]);
  expect([0, 10, 11, 20, 21, 40, 41].map((time) => countAtRisk(five, time))).toEqual([5, 5, 4, 4, 2, 1, 0]);
});
