import { describe, expect, it } from "vitest";
import { scaleOf } from "#server/domain/analysis/hyperparameters/column.ts";
import type { StudyColumn } from "#server/domain/analysis/hyperparameters/prepareStudy.ts";
import { placeColumn, summariseSlice } from "./prepareSlice.ts";

const column = (values: StudyColumn["values"]): StudyColumn => ({
  key: "x",
  title: "X",
  field: { type: "number", group: "Hyperparameter" },
  scale: scaleOf(values),
  values,
});

describe("a slice", () => {
  it("has median and quartiles at each value, and leaves out runs without a result", () => {
    const placed = placeColumn(column([1e-4, 1e-4, 1e-4, 1e-3, 1e-3, 1e-3]));
    expect(placed.axis.ticks?.map((tick) => placed.axis.format?.(tick))).toEqual(["1e-4", "1e-3"]);
    expect(summariseSlice(placed, column([1, 2, 6, 5, null, 7]))).toEqual([
      { from: 0, to: 0, low: 1.5, middle: 2, high: 4, n: 3 },
      { from: 1, to: 1, low: 5.5, middle: 6, high: 6.5, n: 2 },
    ]);
  });

  it("has five bins of as many runs along a scale, logarithmic where values are", () => {
    const values = Array.from({ length: 20 }, (_, i) => 10 ** (-5 + i / 5));
    const placed = placeColumn(column(values));
    expect(placed.axis).toMatchObject({ scale: "log", domain: [1e-5, 0.1] });
    expect(placed.axis.ticks?.map((tick) => placed.axis.format?.(tick))).toEqual([
      "1e−5",
      "1e−4",
      "1e−3",
      "1e−2",
      "1e−1",
    ]);
    const bins = summariseSlice(placed, column(values.map((_, i) => i)));
    expect(bins.map(({ n, middle }) => [n, middle])).toEqual([1.5, 5.5, 9.5, 13.5, 17.5].map((middle) => [4, middle]));
  });

  it("of yes or no has the share with Wilson's interval", () => {
    const placed = placeColumn(column(["a", "a", "a", "b"]));
    const [a] = summariseSlice(placed, { ...column([1, 1, 1, 0]), key: "collapsed" });
    expect(a).toEqual({ from: 0, to: 0, n: 3, middle: 1, low: expect.closeTo(0.4385, 3), high: 1 });
  });

  it("stands under none where a named parameter is off", () => {
    const placed = placeColumn(column(["a", null, "a"]));
    expect(placed.positions).toEqual([0, 1, 0]);
    expect(placed.axis.format?.(1)).toBe("none");
  });
});
