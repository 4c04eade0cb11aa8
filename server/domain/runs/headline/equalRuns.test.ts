import { expect, it } from "vitest";
import { curvesOf, describeEqualRuns, keepDistinct } from "./equalRuns.ts";

const cell = (name: string, ids: string[]) => ({ name, runs: ids.map((runId, seed) => ({ runId, seed })) });
const [a, b] = [cell("GRPO", ["a0", "a1", "a2"]), cell("GRPO wide", ["b0", "b1", "b2"])];

it("counts equal seeds as one, and names them", () => {
  const groups = [["a0", "a1", "a2"]];
  expect(keepDistinct(a.runs, groups).map(({ runId }) => runId)).toEqual(["a0"]);
  expect(keepDistinct(b.runs, groups)).toEqual(b.runs);
  expect(describeEqualRuns([a, b], groups)).toEqual([
    "GRPO: seeds 0, 1 and 2 are equal at every step and count as one; the program may ignore its seed.",
  ]);
});

it("names configurations that are equal seed by seed, and no others", () => {
  const groups = [
    ["a0", "b0"],
    ["a1", "b1"],
    ["a2", "b2"],
  ];
  expect(curvesOf(a.runs, groups)).toBe(curvesOf(b.runs, groups));
  expect(describeEqualRuns([a, b], groups)).toEqual([
    "GRPO and GRPO wide are equal at every step: the program may ignore the setting in which they differ.",
  ]);
  expect(describeEqualRuns([a, b], groups.slice(1))).toEqual([]);
  expect(
    describeEqualRuns(
      [a, b],
      [
        ["a0", "b1"],
        ["a1", "b0"],
        ["a2", "b2"],
      ],
    ),
  ).toEqual([]);
});
