export type TopToken = { token: number; text: string; probability: number };

const most = 8;

/** Most probable tokens under these logits at a temperature, in descending order. */
export function topTokens(logits: Float32Array, temperature: number, piece: (token: number) => string): TopToken[] {
  const logProbs = logSoftmax(logits, temperature);
  return largest(logProbs).map((token) => ({
    token,
    text: piece(token),
    probability: Math.exp(logProbs[token] ?? NaN),
  }));
}

/** Indices of the few largest values, in descending order. A language model has 150,000, so they are not sorted. */
function largest(values: Float64Array): number[] {
  const kept: number[] = [];
  const valueAt = (place: number): number => values[kept[place] ?? -1] ?? -Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? -Infinity;
    if (kept.length === most && value <= valueAt(most - 1)) continue;
    const after = kept.findIndex((other) => value > (values[other] ?? -Infinity));
    kept.splice(after === -1 ? kept.length : after, 0, i);
    kept.length = Math.min(kept.length, most);
  }
  return kept;
}

export function logSoftmax(logits: Float32Array, temperature: number): Float64Array {
  const scaled = Float64Array.from(logits, (x) => x / temperature);
  const largest = scaled.reduce((most, x) => Math.max(most, x), -Infinity);
  const total = Math.log(scaled.reduce((sum, x) => sum + Math.exp(x - largest), 0));
  return scaled.map((x) => x - largest - total);
}
