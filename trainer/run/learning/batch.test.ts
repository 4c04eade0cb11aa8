import { expect, test } from "vitest";
import { chunk, layOutResponses, packResponses, padRows, unpackResponses } from "./batch.ts";

const rows = [
  { prompt: Int32Array.of(5, 6, 7), response: Int32Array.of(8, 9) },
  { prompt: Int32Array.of(5), response: Int32Array.of(3, 4, 2) },
];

test("each response token is a target at the place that predicts it, and the last one is never read", () => {
  const padded = padRows(rows, { numRows: 3, numTokens: 5, numSelected: 4 });
  expect([...padded.tokens]).toEqual([5, 6, 7, 8, 0, 5, 3, 4, 0, 0, 0, 0, 0, 0, 0]);
  expect([...padded.targets]).toEqual([8, 9, 0, 0, 3, 4, 2, 0, 0, 0, 0, 0]);
  expect([...padded.mask]).toEqual([1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0]);
  expect([...padded.selectedPositions]).toEqual([2, 3, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0]);
  // Unused selections point into their own row, so that no row reads from another row.
  expect([...padded.selectedIndices]).toEqual([2, 3, 0, 0, 5, 6, 7, 5, 10, 10, 10, 10]);
});

test("responses alone lie side by side, each from the left, and are read back", () => {
  const { shape, mask } = layOutResponses(rows);
  expect([shape, [...mask]]).toEqual([
    [2, 3],
    [1, 1, 0, 1, 1, 1],
  ]);
  const packed = packResponses(
    [
      [7, 8],
      [1, 2, 3],
    ],
    shape,
  );
  expect([...packed]).toEqual([7, 8, 0, 1, 2, 3]);
  expect(unpackResponses(rows, packed, shape)).toEqual([Float32Array.of(7, 8), Float32Array.of(1, 2, 3)]);
});

test("chunks keep order and lose nothing", () => {
  expect(chunk([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
});
