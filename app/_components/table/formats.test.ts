import { expect, it } from "vitest";
import type { Table } from "#packages/tables";
import { nameFile, withoutColumns } from "./formats.ts";

it("names a file by what is in it, with nothing a file system minds", () => {
  expect(nameFile(["Quick look: π/4", "evaluation/successRate", "final"], "tex")).toBe(
    "Quick-look-4_evaluation-successRate_final.tex",
  );
});

it("takes columns out of header and rows alike, and never the one that names the rows", () => {
  const format = { shift: 0, decimals: 0 };
  const column = (key: string) => ({ key, header: key, better: "none" as const, format });
  const text = (value: string) => ({ kind: "text" as const, text: value });
  const table: Table = {
    caption: "",
    label: "",
    columns: ["method", "n", "final"].map(column),
    rows: [{ cells: ["GRPO", "2", "0.5"].map(text), runIds: [] }],
    notes: [],
    provenance: { sweepName: "s" },
  };
  const less = withoutColumns(table, new Set(["method", "n"]));
  expect(less.columns.map(({ key }) => key)).toEqual(["method", "final"]);
  expect(less.rows[0]?.cells).toEqual([text("GRPO"), text("0.5")]);
});
