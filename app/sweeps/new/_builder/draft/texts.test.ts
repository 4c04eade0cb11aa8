import { expect, test } from "vitest";
import { fieldAt } from "./fields.ts";
import { formatList, formatSeeds, parseSeeds, parseValues } from "./texts.ts";

test.each([
  ["0-4, 7", [0, 1, 2, 3, 4, 7], undefined],
  ["0 – 2", [0, 1, 2], undefined],
  ["3 1 2", [3, 1, 2], undefined],
  ["", [], undefined],
  ["4-1", [], "the range 4-1 runs backwards"],
  ["0, x", [0], '"x" is neither a seed like 7 nor a range like 0-4'],
  ["0-99999999", [], "0-99999999: at most 1000 seeds"],
])("reads seeds %j", (text, values, problem) => {
  expect(parseSeeds(text)).toEqual(problem === undefined ? { values } : { values, problem });
});

test.each([[[0, 1, 2, 4]], [[7]], [[3, 1, 2]], [[0, 2, 4]], [[]]])(
  "seeds %j survive being written and read",
  (seeds) => {
    expect(parseSeeds(formatSeeds(seeds)).values).toEqual(seeds);
  },
);

test("a hyperparameter's text may list several values", () => {
  const field = fieldAt("optimizer.learningRate");
  if (!field) throw new Error("no such field");
  expect(parseValues("1e-4, 3e-4", field)).toEqual({ values: [1e-4, 3e-4] });
  expect(parseValues("  ", field)).toEqual({ values: [] });
  expect(parseValues("fast", field).problem).toBe('"fast" is not a number');
  expect(formatList([3e-4, 1e-3, 0.5, "nano"])).toBe("3e-4, 1e-3, 0.5, nano");
});

test("a choice accepts its options only", () => {
  const field = fieldAt("policy.size");
  if (!field) throw new Error("no such field");
  expect(parseValues("nano, micro", field)).toEqual({ values: ["nano", "micro"] });
  expect(parseValues("huge", field).problem).toBe('"huge" is none of nano, micro, mini, small');
});
