import { expect, it } from "vitest";
import { iterationsBefore, iterationsToBranch, toKept } from "./branchingPoints.ts";

it("proposes the alarm and iterations before it", () => {
  expect(iterationsBefore(34)).toEqual([34, 24, 14]);
  expect(iterationsBefore(31, [0, 30])).toEqual([31, 1]);
});

it("proposes the start where the alarm is too early, since branches after the collapse show nothing", () => {
  expect(iterationsBefore(4)).toEqual([4, 0]);
  expect(iterationsBefore(12, [0, 30])).toEqual([12, 0]);
});

it("proposes no iteration from which the run had already collapsed in hindsight", () => {
  const alarm = { word: "unstable", iteration: 42 } as const;
  expect(iterationsToBranch({ alarm, hindsight: { iteration: 40 } })).toEqual([39, 29, 19]);
  expect(iterationsToBranch({ alarm, hindsight: { iteration: 48 } })).toEqual([42, 32, 22]);
  expect(iterationsToBranch({ alarm, hindsight: { iteration: null } })).toEqual([42, 32, 22]);
  expect(
    iterationsToBranch({ alarm: { word: "warning", iteration: 42 }, hindsight: { iteration: 40 } }),
  ).toBeUndefined();
});

it("takes the nearest checkpoints before, once each", () => {
  expect(toKept([34, 24, 14], [20, 30])).toEqual([30, 20]);
  expect(toKept([34, 24], [])).toEqual([34, 24]);
});
