/** The tokens of one training row: the prompt, and the response with its end tokens. */
export type TokenRow = {
  prompt: Int32Array;
  response: Int32Array;
  /** Tokens read within the response, in order: `tokens` before response token number `at`. Transcripts only. */
  feedback?: readonly { at: number; tokens: Int32Array }[];
};

/** (numRows, R): responses as rows of R tokens. */
export type ResponseShape = readonly [numRows: number, width: number];

/**
 * Rows as one right-padded batch: (B, T) tokens. R positions per row predict its response. The last token of a row is
 * only a target.
 */
export type PaddedRows = {
  /** (B, T) tokens. */
  tokens: Int32Array<ArrayBuffer>;
  /** (B, R) positions at which each response token is predicted: the position in the row, and row·T + position. */
  selectedPositions: Int32Array<ArrayBuffer>;
  selectedIndices: Int32Array<ArrayBuffer>;
  /** (B, R) the response tokens; 0 after the end. */
  targets: Int32Array<ArrayBuffer>;
  /** (B, R), 1 on response tokens. */
  mask: Float32Array<ArrayBuffer>;
};

export type BatchShape = { readonly numRows: number; readonly numTokens: number; readonly numSelected: number };

const none = new Int32Array(0);

/** Number of positions of a row. */
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
 * Responses alone as rows: (B, R), with R the longest response unless a shape is given. Advantages, weights, masks and
 * tallies use this layout. Only the learner knows positions in padded rows.
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

/** Packs per-token values of every response into (B, R). */
export function packResponses(
  values: readonly ArrayLike<number>[],
  [numRows, width]: ResponseShape,
): Float32Array<ArrayBuffer> {
  const packed = new Float32Array(numRows * width);
  for (const [i, ofRow] of values.entries()) packed.set(ofRow, i * width);
  return packed;
}

/** The inverse: splits (B, R) into the values of every row's response. */
export function unpackResponses(rows: readonly TokenRow[], packed: Float32Array, [, width]: ResponseShape) {
  return rows.map(({ response }, i) => packed.slice(i * width, i * width + response.length));
}

/** Splits items into consecutive chunks of at most `size`. */
export function chunk<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}
