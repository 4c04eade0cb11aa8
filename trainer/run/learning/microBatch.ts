import { rowWidth, type BatchShape, type TokenRow } from "./batch.ts";

/** Rows that pass through a graph together, each with its index in the minibatch. */
export type MicroBatch<Row extends TokenRow> = { shape: BatchShape; rows: { row: Row; index: number }[] };

/** Widths are multiples of four, large ones of a sixteenth of their size, so that few graphs serve all batches. */
const smallestStep = 4;
const minRows = 8;

/**
 * Splits rows into micro-batches of similar width: sorted by length, at most 64 rows or as many as fit in memory, the
 * rest in smaller powers of two. The split depends on the rows alone, so equal rows give equal sums.
 */
export function microBatches<Row extends TokenRow>(
  rows: readonly Row[],
  rowLimit: (row: Omit<BatchShape, "numRows">) => number,
): MicroBatch<Row>[] {
  const order = rows
    .map((row, index) => ({ row, index }))
    .sort((a, b) => rowWidth(b.row) - rowWidth(a.row) || b.row.response.length - a.row.response.length);
  const parts: MicroBatch<Row>[] = [];
  for (let start = 0; start < order.length;) {
    const widest = order[start]?.row;
    const numTokens = roundUp(widest ? rowWidth(widest) : 1);
    const fitting = Math.max(minRows, 2 ** Math.floor(Math.log2(order.length - start)));
    const numSelected = longestResponse(order.slice(start, start + fitting));
    const numRows = Math.min(rowLimit({ numTokens, numSelected }), fitting);
    const part = order.slice(start, start + numRows);
    parts.push({ shape: { numRows, numTokens, numSelected: longestResponse(part) }, rows: part });
    start += numRows;
  }
  return parts;
}

function longestResponse(part: readonly { row: TokenRow }[]): number {
  return roundUp(part.reduce((most, { row }) => Math.max(most, row.response.length), 1));
}

/** Positions of micro-batches with a token, and of padding. */
export function countPositions(parts: readonly MicroBatch<TokenRow>[]): { held: number; padded: number } {
  let [held, all] = [0, 0];
  for (const { shape, rows } of parts) {
    all += shape.numRows * shape.numTokens;
    for (const { row } of rows) held += rowWidth(row);
  }
  return { held, padded: all - held };
}

function roundUp(x: number): number {
  const step = Math.max(smallestStep, 2 ** (Math.floor(Math.log2(x)) - 4));
  return Math.ceil(x / step) * step;
}
