import { expect, it } from "vitest";
import { toParts } from "./cellParts.ts";
import type { Column, TableCell } from "./table.ts";

const column: Column = {
  key: "value",
  header: "Value",
  unit: "%",
  better: "up",
  format: { shift: 2, decimals: 1 },
};
const estimate: TableCell = {
  kind: "estimate",
  mean: -0.002,
  std: 0.1,
  n: 3,
  interval: { low: -0.1, high: 0.066 },
  shown: { kind: "interval", low: -0.1, high: 0.066 },
  stars: "",
  marks: [],
};

it("cuts the interval of an estimate only in a column that has a minimum", () => {
  const textOf = (of: Column, mean = 0.002) => {
    const parts = toParts({ ...estimate, mean }, of);
    return parts.kind === "number" && parts.spread.kind === "interval" ? parts.spread.text : "";
  };
  expect(textOf(column)).toBe("[-10, 7]");
  expect(textOf({ ...column, min: 0 })).toBe("[0.0, 6.6]");
  // A signed estimate under such a metric keeps the interval around its mean.
  expect(textOf({ ...column, min: 0 }, -0.002)).toBe("[-10, 7]");
});
