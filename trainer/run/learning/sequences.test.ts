import { describe, expect, it } from "vitest";
import { padRows, rowWidth } from "./batch.ts";
import { cutByTurn, toSequences, toTokenRow } from "./sequences.ts";

const turns = [
  { prompt: Int32Array.of(1, 2, 3), response: Int32Array.of(10, 11) },
  { prompt: Int32Array.of(4), response: Int32Array.of(12) },
  { prompt: Int32Array.of(5, 6), response: Int32Array.of(13, 14) },
];

describe("a transcript", () => {
  const row = toTokenRow(turns);

  it("is one text: what was read and what was written, in order", () => {
    expect([...row.response]).toEqual([10, 11, 12, 13, 14]);
    expect(rowWidth(row)).toBe(10);
    const { tokens } = padRows([row], { numRows: 1, numTokens: 12, numSelected: 6 });
    expect([...tokens]).toEqual([1, 2, 3, 10, 11, 4, 12, 5, 6, 13, 0, 0]);
  });

  it("fits a width that is exactly its own", () => {
    const { tokens } = padRows([row, row], { numRows: 2, numTokens: 10, numSelected: 5 });
    expect([...tokens.subarray(10)]).toEqual([1, 2, 3, 10, 11, 4, 12, 5, 6, 13]);
  });

  it("predicts each written token from the one before it, whoever wrote that", () => {
    const { selectedPositions, selectedIndices, targets, mask } = padRows([row, row], {
      numRows: 2,
      numTokens: 12,
      numSelected: 6,
    });
    const before = [2, 3, 5, 8, 9];
    expect([...selectedPositions.subarray(0, 5)]).toEqual(before);
    expect([...selectedIndices.subarray(6, 11)]).toEqual(before.map((position) => 12 + position));
    expect([...targets.subarray(0, 6)]).toEqual([10, 11, 12, 13, 14, 0]);
    expect([...mask.subarray(0, 6)]).toEqual([1, 1, 1, 1, 1, 0]);
  });

  it("falls apart into its turns again", () => {
    const values = Float32Array.of(0, 1, 2, 3, 4);
    expect(cutByTurn(values, turns).map((own) => [...own])).toEqual([[0, 1], [2], [3, 4]]);
  });
});

it("windows are rows of their own", () => {
  expect(toSequences(turns, "windowed").map((own) => own.length)).toEqual([1, 1, 1]);
  expect(toSequences(turns, "transcript").map((own) => own.length)).toEqual([3]);
  expect(() => toTokenRow([])).toThrow("a row needs at least one turn");
});
