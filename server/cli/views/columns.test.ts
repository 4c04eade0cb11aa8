import { describe, expect, test } from "vitest";
import { toColumns, toPlain } from "./columns.ts";

const columns = ["ID", "NAME", { number: "N" }];
const rows = [
  ["a", "a name that is rather long", { text: "7", style: "red" }],
  ["bb", "short", "10"],
] as const;

describe("toColumns", () => {
  test("aligns and cuts nothing in a pipe", () => {
    expect(toColumns(columns, rows, { width: undefined, hasColour: false })).toBe(
      [
        "ID  NAME                         N",
        "a   a name that is rather long   7",
        "bb  short                       10",
      ].join("\n"),
    );
  });

  test("takes from the widest column until a row fits the terminal", () => {
    const lines = toColumns(columns, rows, { width: 20, hasColour: false }).split("\n");
    expect(lines[1]).toBe("a   a name that…   7");
    expect(lines.every((line) => line.length <= 20)).toBe(true);
  });

  test("colour does not disturb the columns", () => {
    const text = toColumns(columns, rows, { width: undefined, hasColour: true });
    expect(text).toContain("\u001B[31m7\u001B[39m");
    expect(toPlain(text.split("\n")[1] ?? "")).toBe("a   a name that is rather long   7");
  });
});

test("a terminal's commands in a name are not passed on", () => {
  expect(toPlain("a\u001B[2Jb\r\nc")).toBe("ab c");
});
