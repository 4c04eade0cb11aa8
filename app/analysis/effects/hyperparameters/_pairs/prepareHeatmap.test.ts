import { describe, expect, it } from "vitest";
import { scaleOf } from "#server/domain/analysis/hyperparameters/column.ts";
import type { StudyColumn } from "#server/domain/analysis/hyperparameters/prepareStudy.ts";
import { prepareHeatmap } from "./prepareHeatmap.ts";

const column = (values: StudyColumn["values"]): StudyColumn => ({
  key: "x",
  title: "X",
  field: { type: "number", group: "Hyperparameter" },
  scale: scaleOf(values),
  values,
});
const outcome = column([1, 3, 5, 7, null, 9]);

describe("means over two parameters", () => {
  it("have their number of runs, and a gap where nothing was run", () => {
    const rates = column([1e-4, 1e-4, 1e-3, 1e-3, 1e-4, 1e-3]);
    const methods = column(["A", "A", "A", "B", "B", "B"]);
    expect(prepareHeatmap(methods, rates, outcome)).toEqual({
      rows: ["A", "B"],
      columns: ["1e-4", "1e-3"],
      cells: [
        [
          { mean: 2, n: 2 },
          { mean: 5, n: 1 },
        ],
        [undefined, { mean: 8, n: 2 }],
      ],
      low: 2,
      high: 8,
      isBinned: false,
    });
  });

  it("are of bins where values are many, of equal width on the logarithm", () => {
    const rates = column([1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1]);
    const { columns, isBinned, cells } = prepareHeatmap(column(["A", "A", "A", "A", "A", "B"]), rates, outcome);
    expect(columns).toEqual([
      "1e−6 to 1e−5",
      "1e−5 to 1e−4",
      "1e−4 to 0.001",
      "0.001 to 0.01",
      "0.01 to 0.1",
      "0.1 to 1",
    ]);
    expect(isBinned).toBe(true);
    expect(cells[1]).toEqual([undefined, undefined, undefined, undefined, undefined, { mean: 9, n: 1 }]);
  });
});
