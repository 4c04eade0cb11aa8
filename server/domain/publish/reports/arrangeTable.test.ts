import { expect, it } from "vitest";
import { numberCell, numberColumn, type Row, type Table, textCell, textColumn } from "#packages/tables";
import { shortenTable, sortResults } from "./arrangeTable.ts";

const table = (columns: Table["columns"], rows: Row[]): Table => ({
  caption: "C.",
  label: "l",
  columns,
  rows,
  notes: [],
  provenance: { sweepName: "s", planHash: "" },
});
const row = (cells: Row["cells"], of: Partial<Row> = {}): Row => ({ cells, runIds: [], ...of });
const up = { ...numberColumn("success", "Success"), better: "up" as const };
const namesOf = ({ rows }: Table) => rows.map(({ cells: [cell] }) => cell?.kind === "text" && cell.text);

it("sorts results within their block, best first, missing last; changes stay below their row", () => {
  const rows = [
    row([textCell("a"), numberCell(1)], { block: "x" }),
    row([textCell("Δ a"), { kind: "change", value: 1, of: "points" }], { block: "x", isChange: true }),
    row([textCell("b"), { kind: "missing" }], { block: "x" }),
    row([textCell("c"), numberCell(3)], { block: "x" }),
    row([textCell("d"), numberCell(9)], { block: "y" }),
  ];
  const columns = [textColumn("method", "Method"), up];
  expect(namesOf(sortResults(table(columns, rows)))).toEqual(["c", "a", "Δ a", "b", "d"]);
  const down = [textColumn("method", "Method"), { ...up, better: "down" as const }];
  expect(namesOf(sortResults(table(down, rows)))).toEqual(["a", "Δ a", "c", "b", "d"]);
  const none = [textColumn("method", "Method"), { ...up, better: "none" as const }];
  expect(namesOf(sortResults(table(none, rows)))).toEqual(["a", "Δ a", "b", "c", "d"]);
});

it("leaves out a column that repeats one environment, and names it in the caption", () => {
  const columns = [textColumn("method", "Method"), textColumn("environment", "Environment")];
  const of = (...names: string[]) =>
    table(
      columns,
      names.map((name) => row([textCell("a"), textCell(name)])),
    );
  const short = shortenTable(of("Sokoban", "Sokoban"));
  expect(short.columns.map(({ key }) => key)).toEqual(["method"]);
  expect(short.rows.map(({ cells }) => cells.length)).toEqual([1, 1]);
  expect(short.caption).toBe("C. Environment: Sokoban.");
  const both = of("Sokoban", "WebShop");
  expect(shortenTable(both)).toEqual(both);
});

it("leaves out claims without a verdict, with their count", () => {
  const columns = [textColumn("claim", "Claim"), textColumn("verdict", "Verdict")];
  const claim = (id: string, key: string, text = key) =>
    row(
      [
        { kind: "text", text: id, key: id },
        { kind: "text", text, key },
      ],
      { block: id },
    );
  const short = shortenTable(
    table(columns, [
      claim("a", "supported"),
      claim("b", "notEnough"),
      claim("b", "notEnough", ""),
      claim("c", "chance"),
    ]),
  );
  expect(namesOf(short)).toEqual(["a", "c"]);
  expect(short.notes).toEqual(["Not shown: 1 claim without enough runs for a verdict."]);
});
