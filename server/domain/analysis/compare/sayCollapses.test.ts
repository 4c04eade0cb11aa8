import { expect, it } from "vitest";
import { sayCollapses } from "./sayCollapses.ts";

it("counts the collapses of all compared sweeps, and says nothing before a run is judged", () => {
  const none = { numJudged: 0, numCollapsed: 0, numUnclear: 0 };
  expect(sayCollapses([none])).toBe("");
  expect(sayCollapses([none, { numJudged: 27, numCollapsed: 1, numUnclear: 1 }, { ...none, numJudged: 3 }])).toBe(
    "In hindsight 1 of 30 judged runs collapsed, 1 unclear.",
  );
});
