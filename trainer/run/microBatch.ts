import { dimensionsOf, type PolicyConfig } from "#trainer/policy/config.ts";
import { rowWidth, type BatchShape, type TokenRow } from "./batch.ts";

/** Rows that go through a graph together, each with its place in the whole. */
export type MicroBatch<Row extends TokenRow> = { shape: BatchShape; rows: { row: Row; index: number }[] };

/** Widths are rounded up to these steps, so that few graphs serve all batches. */
const [tokenStep, placeStep] = [4, 4];
const maxRows = 64;
const minRows = 8;

/**
 * Cuts rows into micro-batches of similar width: sorted by length, at most 64 rows or as many as fit the memory,
 * the rest in smaller powers of two. Depends on the rows alone, so equal rows give equal sums.
 */
export function microBatches<Row extends TokenRow>(
  rows: readonly Row[],
  rowLimit: (numTokens: number) => number,
): MicroBatch<Row>[] {
  const order = rows
    .map((row, index) => ({ row, index }))
    .sort((a, b) => rowWidth(b.row) - rowWidth(a.row) || b.row.response.length - a.row.response.length);
  const parts: MicroBatch<Row>[] = [];
  for (let start = 0; start < order.length;) {
    const widest = order[start]?.row;
    const numTokens = roundUp(widest ? rowWidth(widest) : 1, tokenStep);
    const fitting = Math.max(minRows, 2 ** Math.floor(Math.log2(order.length - start)));
    const numRows = Math.min(rowLimit(numTokens), fitting);
    const own = order.slice(start, start + numRows);
    const longest = own.reduce((most, { row }) => Math.max(most, row.response.length), 1);
    parts.push({ shape: { numRows, numTokens, numPlaces: roundUp(longest, placeStep) }, rows: own });
    start += numRows;
  }
  return parts;
}

/**
 * Bytes of activations that a gradient pass keeps for one position, forward and backward: about 40 vectors of the
 * policy's width a layer, and three score matrices a head. Calibrated against the process's measured size.
 */
function activationBytes(config: PolicyConfig, numTokens: number): number {
  const { numLayers, width, numHeads } = dimensionsOf(config);
  return 4 * (numLayers * (40 * width + 3 * numHeads * numTokens) + 3 * config.vocabularySize);
}

/** What the process holds before the first pass: Node, ONNX Runtime and the compiled graphs. */
const baseBytes = 300e6;

/** How many rows of a width fit into the process's memory limit, as a power of two. */
export function rowLimitOf(config: PolicyConfig, memoryLimitMb: number): (numTokens: number) => number {
  const available = Math.max(50e6, memoryLimitMb * 1e6 - baseBytes);
  return (numTokens) => {
    const fitting = available / (numTokens * activationBytes(config, numTokens));
    return Math.max(1, Math.min(maxRows, 2 ** Math.floor(Math.log2(fitting))));
  };
}

/** Share of the positions of some micro-batches that hold no token. */
export function countPositions(parts: readonly MicroBatch<TokenRow>[]): { held: number; padded: number } {
  let [held, all] = [0, 0];
  for (const { shape, rows } of parts) {
    all += shape.numRows * shape.numTokens;
    for (const { row } of rows) held += rowWidth(row);
  }
  return { held, padded: all - held };
}

function roundUp(x: number, step: number): number {
  return Math.ceil(x / step) * step;
}
