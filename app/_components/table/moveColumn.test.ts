import { expect, it } from "vitest";
import type { Table } from "#packages/tables";
import { moveColumn } from "./moveColumn.ts";

const format = { shift: 0, decimals: 0 } as const;
const table: Table = {
  caption: "",
  label: "",
  columns: ["a", "b", "c"].map((key) => ({ key, header: key, better: "none", format })),
  rows: [{ cells: [1, 2, 3].map((value) => ({ kind: "number", value })), runIds: [] }],
  notes: [],
  provenance: { sweepName: "" },
};

it("moves a column with its cells, and leaves a table without it as it is", () => {
  const { columns, rows } = moveColumn(table, "c", "b");
  expect(columns.map(({ key }) => key)).toEqual(["a", "c", "b"]);
  expect(rows[0]?.cells.map((cell) => (cell.kind === "number" ? cell.value : NaN))).toEqual([1, 3, 2]);
  expect(moveColumn(table, "none", "b")).toEqual(table);
});
