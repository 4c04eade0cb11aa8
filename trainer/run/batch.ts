/** The tokens of one training row: what the policy read and what it wrote (end token included). */
export type TokenRow = { prompt: Int32Array; response: Int32Array };

/**
 * Rows as one right-padded batch. Position t holds a token and is where token t + 1 is predicted, so everything the
 * loss reads is aligned there: `mask` is 1 where the next token belongs to the response.
 */
export type PaddedRows = {
  shape: readonly [numRows: number, width: number];
  /** (B, T) */
  tokens: Int32Array<ArrayBuffer>;
  /** (B, T) the token that follows each position; 0 after the end. */
  targets: Int32Array<ArrayBuffer>;
  /** (B, T) */
  mask: Float32Array<ArrayBuffer>;
};

/** Widths are rounded up to this many tokens, so that few graphs serve all batches. */
const widthStep = 8;

/** Positions a row needs; its last token is only ever a target. */
export function rowWidth(row: TokenRow): number {
  return row.prompt.length + row.response.length - 1;
}

export function bucketWidth(rows: readonly TokenRow[]): number {
  const widest = rows.reduce((most, row) => Math.max(most, rowWidth(row)), 1);
  return Math.ceil(widest / widthStep) * widthStep;
}

export function padRows(rows: readonly TokenRow[], [numRows, width]: readonly [number, number]): PaddedRows {
  const tokens = new Int32Array(numRows * width);
  const targets = new Int32Array(numRows * width);
  const mask = new Float32Array(numRows * width);
  for (const [i, { prompt, response }] of rows.entries()) {
    const sequence = [...prompt, ...response];
    for (let t = 0; t + 1 < sequence.length; t++) {
      tokens[i * width + t] = sequence[t] ?? 0;
      targets[i * width + t] = sequence[t + 1] ?? 0;
    }
    mask.fill(1, i * width + prompt.length - 1, i * width + sequence.length - 1);
  }
  return { shape: [numRows, width], tokens, targets, mask };
}

/**
 * Responses alone, side by side: (B, R) with R the longest one. Advantages, weights, masks and tallies are computed in
 * this layout; where the tokens sit in a padded row is the learner's business.
 */
export type ResponseLayout = {
  shape: readonly [numRows: number, width: number];
  /** (B, R) 1 on response tokens. */
  mask: Float32Array<ArrayBuffer>;
};

export function layOutResponses(rows: readonly TokenRow[]): ResponseLayout {
  const width = rows.reduce((most, { response }) => Math.max(most, response.length), 1);
  const mask = new Float32Array(rows.length * width);
  for (const [i, { response }] of rows.entries()) mask.fill(1, i * width, i * width + response.length);
  return { shape: [rows.length, width], mask };
}

/** Per-token values of every response → (B, R). */
export function packResponses(
  values: readonly ArrayLike<number>[],
  [numRows, width]: readonly [number, number],
): Float32Array<ArrayBuffer> {
  const packed = new Float32Array(numRows * width);
  for (const [i, own] of values.entries()) packed.set(own, i * width);
  return packed;
}

/** Per-response values laid out where they are predicted: one array per row → (B, T). */
export function placeOnResponses(
  rows: readonly TokenRow[],
  values: readonly ArrayLike<number>[],
  [numRows, width]: readonly [number, number],
): Float32Array<ArrayBuffer> {
  const placed = new Float32Array(numRows * width);
  for (const [i, row] of rows.entries()) placed.set(values[i] ?? [], i * width + row.prompt.length - 1);
  return placed;
}

/** The inverse: (B, T) → the response's own values of every row. */
export function readResponses(
  rows: readonly TokenRow[],
  placed: Float32Array,
  [, width]: readonly [number, number],
): Float32Array[] {
  return rows.map(({ prompt, response }, i) => {
    const from = i * width + prompt.length - 1;
    return placed.slice(from, from + response.length);
  });
}

/** Consecutive parts of at most `size`. */
export function chunk<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}
