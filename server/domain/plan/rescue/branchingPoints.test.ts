import { expect, it } from "vitest";
import { iterationsBefore, toKept } from "./branchingPoints.ts";

it("proposes the alarm and iterations before it", () => {
  expect(iterationsBefore(34)).toEqual([34, 24, 14]);
  expect(iterationsBefore(31, [0, 30])).toEqual([31, 1]);
});

it("proposes the start where the alarm is too early, since branches after the collapse show nothing", () => {
  expect(iterationsBefore(4)).toEqual([4, 0]);
  expect(iterationsBefore(12, [0, 30])).toEqual([12, 0]);
});

it("takes the nearest checkpoints before, once each", () => {
  expect(toKept([34, 24, 14], [20, 30])).toEqual([30, 20]);
  expect(toKept([34, 24], [])).toEqual([34, 24]);
});
