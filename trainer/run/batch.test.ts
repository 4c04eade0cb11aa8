import { expect, test } from "vitest";
import {
  bucketWidth,
  chunk,
  layOutResponses,
  packResponses,
  padRows,
  placeOnResponses,
  readResponses,
} from "./batch.ts";

const rows = [
  { prompt: Int32Array.of(5, 6, 7), response: Int32Array.of(8, 9) },
  { prompt: Int32Array.of(5), response: Int32Array.of(3, 4, 2) },
];

test("a position holds its token, is trained on the next one, and the mask covers exactly the response", () => {
  const { tokens, targets, mask } = padRows(rows, [2, 5]);
  expect([...tokens]).toEqual([5, 6, 7, 8, 0, 5, 3, 4, 0, 0]);
  expect([...targets]).toEqual([6, 7, 8, 9, 0, 3, 4, 2, 0, 0]);
  expect([...mask]).toEqual([0, 0, 1, 1, 0, 1, 1, 1, 0, 0]);
});

test("rows that pad a micro-batch have no response", () => {
  const { mask } = padRows(rows, [4, 5]);
  expect(mask.slice(10)).toEqual(new Float32Array(10));
});

test("values of responses are read back from where they were placed", () => {
  const values = [Float32Array.of(0.5, -1), Float32Array.of(1, 2, 3)];
  const placed = placeOnResponses(rows, values, [3, 16]);
  expect(readResponses(rows, placed, [3, 16])).toEqual(values);
  const { mask } = padRows(rows, [3, 16]);
  expect(placed.every((x, at) => (mask[at] ?? 0) === 1 || x === 0)).toBe(true);
});

test("widths are multiples of 8 and hold the longest row", () => {
  expect(bucketWidth(rows)).toBe(8);
  expect(bucketWidth([{ prompt: new Int32Array(10), response: new Int32Array(7) }])).toBe(16);
  expect(bucketWidth([{ prompt: new Int32Array(11), response: new Int32Array(7) }])).toBe(24);
});

test("responses alone lie side by side, each from the left", () => {
  const { shape, mask } = layOutResponses(rows);
  expect([shape, [...mask]]).toEqual([
    [2, 3],
    [1, 1, 0, 1, 1, 1],
  ]);
  expect([
    ...packResponses(
      [
        [7, 8],
        [1, 2, 3],
      ],
      shape,
    ),
  ]).toEqual([7, 8, 0, 1, 2, 3]);
});

test("chunks keep order and lose nothing", () => {
  expect(chunk([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
});
