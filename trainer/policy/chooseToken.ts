import type { Rng } from "#trainer/spec/rng.ts";

export type Choice = {
  /** Divisor of the logits; 0 is greedy. */
  readonly temperature: number;
  /** Keeps the k most likely tokens; 0 keeps all. */
  readonly topK: number;
  /** Keeps the most likely tokens that together reach this probability; 1 keeps all. */
  readonly topP: number;
};

export type Chosen = {
  token: number;
  logProb: number;
  /** Entropy of the sampling distribution, in nats. */
  entropy: number;
};

/**
 * Samples one token with one number of `rng`, or takes the most likely one when greedy. Log-probability and entropy are
 * those of the untruncated distribution at the temperature (at 1 when greedy). NaN logits make them NaN.
 */
export function chooseToken(logits: Float32Array, choice: Choice, rng: Rng): Chosen {
  const isGreedy = choice.temperature === 0;
  const most = maximumOf(logits);
  const all = weigh(logits, most, isGreedy ? 1 : 1 / choice.temperature);
  const token = isGreedy ? Math.max(logits.indexOf(most), 0) : drawIndex(truncate(all, choice), rng);
  const { weights, total, energy } = all;
  return { token, logProb: Math.log((weights[token] ?? NaN) / total), entropy: Math.log(total) - energy / total };
}

/** Reused buffer: allocating an array for each token takes longer than the computation. */
let scratch = new Float64Array();

/** `energy` is Σ w·log w, from which the entropy follows. */
function weigh(logits: Float32Array, most: number, scale: number): Weights & { energy: number } {
  if (scratch.length !== logits.length) scratch = new Float64Array(logits.length);
  const weights = scratch;
  let [total, energy] = [0, 0];
  for (let i = 0; i < logits.length; i++) {
    const exponent = ((logits[i] ?? NaN) - most) * scale;
    const weight = Math.exp(exponent);
    weights[i] = weight;
    total += weight;
    if (weight > 0) energy += weight * exponent;
  }
  return { weights, total, energy: Number.isNaN(total) ? NaN : energy };
}

/** The maximum; NaN when any value is NaN. Plain loops, because it runs once per sampled token. */
function maximumOf(values: Float32Array): number {
  let most = -Infinity;
  for (let i = 0; i < values.length; i++) most = Math.max(most, values[i] ?? NaN);
  return most;
}

function drawIndex({ weights, total }: Weights, rng: Rng): number {
  let remaining = rng.next() * total;
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

/** Unnormalised probability of each token; their sum is `total`. */
type Weights = { readonly weights: Float64Array; readonly total: number };

/** Zeroes all except the most likely tokens. Among equals the first is kept. */
function truncate(all: Weights, { topK, topP }: Choice): Weights {
  const { weights, total } = all;
  if ((topK <= 0 || topK >= weights.length) && topP >= 1) return all;
  const most = topK > 0 ? topK : weights.length;
  const kept = new Float64Array(weights.length);
  let reached = 0;
  // Picks tokens one by one: a few tokens have most of the probability, so this is much faster than sorting.
  for (let count = 0; count < most && reached < topP * total; count++) {
    const index = largestOutside(kept, weights);
    if (index === -1) break;
    kept[index] = weights[index] ?? 0;
    reached += kept[index];
  }
  return { weights: kept, total: reached };
}

/** Index of the largest positive weight not kept yet, the first among equals, or −1. */
function largestOutside(kept: Float64Array, weights: Float64Array): number {
  let [index, largest] = [-1, 0];
  for (let i = 0; i < weights.length; i++) {
    const weight = weights[i] ?? 0;
    if (weight <= largest || kept[i] !== 0) continue;
    index = i;
    largest = weight;
  }
  return index;
}
