import { expect, it } from "vitest";
import { findDecimalMark, isMissing, parseWritten } from "./numbers.ts";

it.each([
  ["0.21", ".", 0.21],
  ["2,400", ".", 2400],
  ["1,234,567.5", ".", 1234567.5],
  ["-1,234", ".", -1234],
  ["0,21", ",", 0.21],
  ["1.234.567,5", ",", 1234567.5],
  ["1.000", ",", 1000],
  ["1,5e-3", ",", 0.0015],
  ["−0.5", ".", -0.5],
  ["1 000 000", ".", 1e6],
  ["1\u202F000,5", ",", 1000.5],
  ["1'000", ".", 1000],
  ["1_000", ".", 1000],
  ["85 %", ".", 0.85],
  ["85,5%", ",", 0.855],
  ["1.5k", ".", 1500],
  ["3M", ".", 3e6],
  ["NaN", ",", NaN],
  ["#DIV/0!", ".", NaN],
  ["-1.#IND", ".", NaN],
  ["∞", ".", Infinity],
  // Numbers that the table's mark does not explain are no numbers, so that they are reported.
  ["0,21", ".", undefined],
  ["0.21", ",", undefined],
  ["1.5.2", ".", undefined],
  ["12,34", ".", undefined],
  ["3/8", ".", undefined],
  ["1.2 s", ".", undefined],
] as const)("%s with the decimal mark %s is %s", (text, mark, number) =>
  expect(parseWritten(text, mark)).toEqual(number),
);

it.each([
  [["1", "0,210", "1000"], ";", ","],
  [["1", "1,234"], ";", ","],
  [["1", "1,234"], "\t", "."],
  [["2,400", "0.28"], ",", "."],
  [["2.400", "1.234,5"], ";", ","],
  [["1.000", "2.000"], ";", "."],
  [["0,21", "0.21"], ";", "."],
])("the decimal mark of %j between %s is %s", (fields, delimiter, mark) => {
  expect(findDecimalMark(fields, delimiter)).toBe(mark);
});

it.each(["", "-", "N/A", "#N/A", "null", "<NA>"])("“%s” is a missing value, no text", (text) => {
  expect(isMissing(text)).toBe(true);
});
