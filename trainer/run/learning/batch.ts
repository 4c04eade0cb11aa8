/** Tokens of one training row: the prompt, and the response with its end token. */
export type TokenRow = {
  prompt: Int32Array;
  response: Int32Array;
  /** Environment tokens in a transcript, in order, before the response token with index `at`. */
  feedback?: readonly { at: number; tokens: Int32Array }[];
};

/** Shape (number of rows, maximum number R of response tokens in a row). */
export type ResponseShape = readonly [numRows: number, width: number];

/** (B, T) tokens, right-padded. R positions per row predict its responses; the last token is only a target. */
export type PaddedRows = {
  tokens: Int32Array<ArrayBuffer>;
  /** (B, R) index in the row whose output predicts each response token; `selectedIndices`: row·T plus that index. */
  selectedPositions: Int32Array<ArrayBuffer>;
  selectedIndices: Int32Array<ArrayBuffer>;
  /** (B, R) response tokens; 0 beyond the end of the response. */
  targets: Int32Array<ArrayBuffer>;
  /** (B, R), 1 on response tokens. */
  mask: Float32Array<ArrayBuffer>;
};

export type BatchShape = { readonly numRows: number; readonly numTokens: number; readonly numSelected: number };

const none = new Int32Array(0);

/** Number of a row's input positions, which excludes the last token. */
export function rowWidth({ prompt, response, feedback = [] }: TokenRow): number {
  return feedback.reduce((width, { tokens }) => width + tokens.length, prompt.length + response.length - 1);
}

export function padRows(rows: readonly TokenRow[], { numRows, numTokens, numSelected }: BatchShape): PaddedRows {
  const tokens = new Int32Array(numRows * numTokens);
  const responses = () => new Int32Array(numRows * numSelected);
  const [selectedPositions, selectedIndices, targets] = [responses(), responses(), responses()];
  for (let i = 0; i < numRows; i++) selectedIndices.fill(i * numTokens, i * numSelected, (i + 1) * numSelected);
  for (const [i, { prompt, response, feedback = [] }] of rows.entries()) {
    tokens.set(prompt, i * numTokens);
    targets.set(response, i * numSelected);
    let [position, from] = [prompt.length, 0];
    for (const { at, tokens: read } of [...feedback, { at: response.length, tokens: none }]) {
      for (let t = from; t < at; t++) {
        selectedPositions[i * numSelected + t] = position - 1;
        selectedIndices[i * numSelected + t] = i * numTokens + position - 1;
        if (t < response.length - 1) tokens[i * numTokens + position] = response[t] ?? 0;
        position++;
      }
      if (read.length > 0) tokens.set(read, i * numTokens + position);
      position += read.length;
      from = at;
    }
  }
  const { mask } = layOutResponses(rows, [numRows, numSelected]);
  return { tokens, selectedPositions, selectedIndices, targets, mask };
}

/**
 * Lays out only the responses as (B, R), where R is the longest response unless a shape is given. Advantages,
 * weights, masks and metrics use this layout; only the learner uses positions in padded rows.
 */
export function layOutResponses(
  rows: readonly TokenRow[],
  shape: ResponseShape = [rows.length, rows.reduce((most, { response }) => Math.max(most, response.length), 1)],
): { shape: ResponseShape; mask: Float32Array<ArrayBuffer> } {
  const [numRows, width] = shape;
  const mask = new Float32Array(numRows * width);
  for (const [i, { response }] of rows.entries()) mask.fill(1, i * width, i * width + response.length);
  return { shape, mask };
}

/** Packs arrays of values per response token into one (B, R) array, padded with 0. */
export function packResponses(
  values: readonly ArrayLike<number>[],
  [numRows, width]: ResponseShape,
): Float32Array<ArrayBuffer> {
  const packed = new Float32Array(numRows * width);
  for (const [i, ofRow] of values.entries()) packed.set(ofRow, i * width);
  return packed;
}

/** Splits (B, R) values into one array per response, without padding; the inverse of `packResponses`. */
export function unpackResponses(rows: readonly TokenRow[], packed: Float32Array, [, width]: ResponseShape) {
  return rows.map(({ response }, i) => packed.slice(i * width, i * width + response.length));
}

export function chunk<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}

/** Rows that pass through a graph together, each with its index in the whole minibatch. */
export type MicroBatch<Row extends TokenRow> = { shape: BatchShape; rows: { row: Row; index: number }[] };

/** Row widths are multiples of 4 tokens, large ones of a sixteenth, so that few graphs serve all batches. */
const smallestStep = 4;
const minRows = 8;

/**
 * Splits rows, sorted by length, into micro-batches of similar width. A micro-batch has 64 rows, or a smaller power
 * of two if memory or the remaining rows allow only fewer. The split depends only on the rows and `rowLimit`, so that
 * equal rows give bitwise equal sums.
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

/** Counts the positions of micro-batches that hold a token (`held`), and the padding positions (`padded`). */
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
