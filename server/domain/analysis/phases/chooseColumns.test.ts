import { expect, it } from "vitest";
import type { Column } from "../hyperparameters/column.ts";
import { chooseColumns, countNumericVaried, type VariedColumn } from "./chooseColumns.ts";

const column = (key: string, values: Column["values"]): VariedColumn => ({
  column: { key, title: key, values },
  numLevels: new Set(values).size,
  isNumeric: values.every((value) => typeof value === "number"),
});
const keysOf = (varied: readonly VariedColumn[], choice = {}) => {
  const chosen = chooseColumns(varied, choice);
  return chosen && [chosen.x.column.key, chosen.y.column.key, chosen.by?.column.key];
};

const method = column("method", ["a", "a", "a", "b", "b", "b"]);
const environment = column("environment", ["s", "w", "x", "s", "w", "x"]);
/** The epochs follow from the environment: each environment has one value. */
const epochs = column("epochs", [5, 6, 8, 5, 6, 8]);
const episodes = column("episodes", [800, 1600, 600, 800, 1600, 600]);

it("takes names that were crossed rather than numbers that go along with one of them", () => {
  expect(keysOf([epochs, episodes, method, environment])).toEqual(["method", "environment", undefined]);
});

it("takes the numbers that vary most, and of those a pair that was crossed", () => {
  const rate = column("rate", [1, 1, 2, 2, 3, 3]);
  const lag = column("lag", [0, 4, 0, 4, 0, 4]);
  const along = column("along", [7, 7, 8, 8, 9, 9]);
  const once = column("once", [0, 0, 0, 0, 0, 1]);
  expect(keysOf([once, lag, rate])).toEqual(["rate", "lag", undefined]);
  expect(keysOf([rate, along, lag])).toEqual(["rate", "lag", undefined]);
});

it("takes what was asked for, and diagrams by method where that is no axis", () => {
  const lag = column("lag", [0, 0, 4, 4, 0, 4]);
  expect(keysOf([lag, method, environment], { x: "environment", y: "lag" })).toEqual(["environment", "lag", "method"]);
  expect(keysOf([lag, method, environment], { x: "environment", y: "lag", by: "none" })?.[2]).toBeUndefined();
  expect(keysOf([method])).toBeUndefined();
});

it("puts the more names up, unless asked", () => {
  const kind = column("kind", ["p", "q", "p", "q", "p", "q"]);
  const many = column("method", ["a", "a", "b", "b", "c", "c"]);
  expect(keysOf([kind, many])).toEqual(["kind", "method", undefined]);
  expect(keysOf([kind, many], { x: "method" })).toEqual(["method", "kind", undefined]);
});

it("counts numbers that vary by themselves, and none that an environment brings with it", () => {
  const [one, two] = [column("environment", ["s", "w", "s", "w"]), column("size", [6, 8, 6, 8])];
  const rate = column("rate", [1, 1, 2, 2]);
  expect(countNumericVaried([one, two])).toBe(0);
  expect(countNumericVaried([one, two, rate])).toBe(1);
});
