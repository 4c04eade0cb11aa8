import type { Rng } from "#trainer/spec/rng.ts";

export type Choice = {
  /** Logits are divided by this; 0 is greedy. */
  readonly temperature: number;
  /** Keep the k most likely tokens; 0 keeps all. */
  readonly topK: number;
  /** Keep the most likely tokens that together reach this probability; 1 keeps all. */
  readonly topP: number;
};

/**
 * Draws one token with a single draw of `rng`, or the most likely one when greedy.
 * The log-probability is that of the untruncated distribution at the temperature (at 1 when greedy). NaN logits give a
 * NaN log-probability.
 */
export function chooseToken(
  logits: Float32Array,
  { temperature, topK, topP }: Choice,
  rng: Rng,
): { token: number; logProb: number } {
  const scale = temperature === 0 ? 1 : 1 / temperature;
  const most = maximumOf(logits);
  const weights = new Float64Array(logits.length);
  let total = 0;
  for (let i = 0; i < logits.length; i++) {
    const weight = Math.exp(((logits[i] ?? NaN) - most) * scale);
    weights[i] = weight;
    total += weight;
  }
  const token = temperature === 0 ? logits.indexOf(most) : drawIndex(truncate(weights, total, { topK, topP }), rng);
  return { token: Math.max(token, 0), logProb: Math.log((weights[token] ?? NaN) / total) };
}

function maximumOf(values: Float32Array): number {
  let most = -Infinity;
  for (const value of values) if (value > most || Number.isNaN(value)) most = value;
  return most;
}

function drawIndex(weights: Float64Array, rng: Rng): number {
  let remaining = rng.next() * weights.reduce((sum, weight) => sum + weight, 0);
  let last = 0;
  for (let i = 0; i < weights.length; i++) {
    const weight = weights[i] ?? 0;
    if (weight === 0) continue;
    remaining -= weight;
    last = i;
    if (remaining < 0) break;
  }
  return last;
}

/** Zeroes all but the most likely tokens; of equal ones the first is kept. */
function truncate(weights: Float64Array, total: number, { topK, topP }: { topK: number; topP: number }): Float64Array {
  if ((topK <= 0 || topK >= weights.length) && topP >= 1) return weights;
  const order = [...weights.keys()].sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0));
  const kept = new Float64Array(weights.length);
  let reached = 0;
  for (const index of order.slice(0, topK > 0 ? topK : weights.length)) {
    if (reached >= topP * total) break;
    kept[index] = weights[index] ?? 0;
    reached += kept[index];
  }
  return kept;
}
