export type TopToken = { text: string; probability: number };

const most = 8;

/** The most probable tokens under these logits, at a temperature, most probable first. */
export function topTokens(logits: Float32Array, temperature: number, words: readonly string[]): TopToken[] {
  const logProbs = logSoftmax(logits, temperature);
  return [...logProbs.keys()]
    .toSorted((a, b) => (logProbs[b] ?? 0) - (logProbs[a] ?? 0))
    .slice(0, most)
    .map((token) => ({ text: words[token] ?? "<unk>", probability: Math.exp(logProbs[token] ?? NaN) }));
}

export function logSoftmax(logits: Float32Array, temperature: number): Float64Array {
  const scaled = Float64Array.from(logits, (x) => x / temperature);
  const largest = scaled.reduce((most, x) => Math.max(most, x), -Infinity);
  const total = Math.log(scaled.reduce((sum, x) => sum + Math.exp(x - largest), 0));
  return scaled.map((x) => x - largest - total);
}
