import { expect, test } from "vitest";
import { hyperparameters } from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import { formatField, formatList, formatSeeds, parseSeeds, parseValues, readSeeds, readValue } from "./texts.ts";

const fieldAt = (path: string) => hyperparameters().find((field) => field.path === path);

test.each([
  ["0-4, 7", [0, 1, 2, 3, 4, 7], undefined],
  ["0 – 2", [0, 1, 2], undefined],
  ["3 1 2", [3, 1, 2], undefined],
  ["", [], undefined],
  ["4-1", [], "the range 4-1 runs backwards"],
  ["0, x", [0], '"x" is neither a seed like 7 nor a range like 0-4'],
  ["0-99999999", [], "0-99999999 has too many seeds: at most 1000"],
])("reads seeds %j", (text, values, problem) => {
  expect(parseSeeds(text)).toEqual(problem === undefined ? { values } : { values, problem });
});

test.each([[[0, 1, 2, 4]], [[7]], [[3, 1, 2]], [[0, 2, 4]], [[]]])(
  "seeds %j survive being written and read",
  (seeds) => {
    expect(parseSeeds(formatSeeds(seeds)).values).toEqual(seeds);
  },
);

test("seeds that cannot be read stay as typed", () => {
  expect(formatSeeds(readSeeds("0-"))).toBe("0-");
  expect(formatSeeds(readSeeds("0, 1, 2"))).toBe("0-2");
  expect(formatSeeds([0.5, "a"])).toBe("0.5, a");
});

test.each([
  ["optimizer.learningRate", "1e-4, 3e-4"],
  ["optimizer.learningRate", "1e-"],
  ["update.denominatorRows", "off, 32"],
  ["policy.size", "nano, micro"],
  ["policy.pretrained", '"/models/a, the first", Qwen/Qwen3-0.6B'],
  ["rollout.groupSize", ""],
])("the text of %s, %j, is written as it was read", (path, text) => {
  const field = fieldAt(path);
  if (!field) throw new Error("no such field");
  expect(formatField(readValue(text, field), field)).toBe(text);
});

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
  expect(parseValues("huge", field).problem).toBe('"huge" is not one of nano, micro, mini, small');
});

test.each([
  ["optimizer.learningRate", "1,5e-4", /use a decimal point, 1\.5e-4, or 1, 5e-4 for two values/],
  ["optimizer.learningRate", "1e-4, 0,5", /"0,5": use a decimal point/],
  ["budget.iterations", "1,000,000", /write 1000000/],
  ["budget.iterations", "1,5e3", /use a decimal point/],
  ["optimizer.learningRate", "1e-4, 0.0001", /has the value 0\.0001 twice/],
])("of %s, %j is refused", (path, text, problem) => {
  const field = fieldAt(path);
  if (!field) throw new Error("no such field");
  expect(parseValues(text, field).problem).toMatch(problem);
});

test.each([
  ["optimizer.learningRate", "1e-4,3e-4", [1e-4, 3e-4]],
  ["optimizer.learningRate", "1, 5e-4", [1, 5e-4]],
  ["optimizer.learningRate", "0.1,0.2", [0.1, 0.2]],
  ["budget.iterations", "8,16", [8, 16]],
])("of %s, %j is a list", (path, text, values) => {
  const field = fieldAt(path);
  if (!field) throw new Error("no such field");
  expect(parseValues(text, field)).toEqual({ values });
});
