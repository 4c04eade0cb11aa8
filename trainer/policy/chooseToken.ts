import {
  add,
  constant,
  cumulativeSum,
  div,
  exp,
  fill,
  greater,
  input,
  isGreater,
  log,
  max,
  minimum,
  mul,
  neg,
  slice,
  sub,
  sum,
  toFloat,
  where,
} from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import type { Rng } from "#trainer/spec/rng.ts";

export type Choice = {
  /** Temperature by which the logits are divided; 0 means greedy sampling. */
  readonly temperature: number;
  /** Top-k: number of most likely tokens that can be sampled; 0 means all. */
  readonly topK: number;
  /** Top-p: the most likely tokens can be sampled that together reach this probability; 1 means all. */
  readonly topP: number;
};

export type Chosen = {
  token: number;
  logProb: number;
  /** Entropy of the sampling distribution, in nats. */
  entropy: number;
};

/**
 * Samples one token with one number from `rng`, or takes the most likely token if the temperature is 0.
 * Log-probability and entropy are those of the distribution before top-k and top-p, at the sampling temperature (1 if
 * greedy). NaN logits make both NaN.
 */
export function chooseToken(logits: Float32Array, choice: Choice, rng: Rng): Chosen {
  const isGreedy = choice.temperature === 0;
  const most = maximumOf(logits);
  const all = weigh(logits, most, isGreedy ? 1 : 1 / choice.temperature);
  const token = isGreedy ? Math.max(logits.indexOf(most), 0) : drawIndex(truncate(all, choice), rng);
  const { weights, total, energy } = all;
  return { token, logProb: Math.log((weights[token] ?? NaN) / total), entropy: Math.log(total) - energy / total };
}

/** Reused buffer, because allocating an array for each token takes longer than the computation. */
let scratch = new Float64Array();

/** Unnormalised probabilities w relative to the largest logit. `energy`: Σ w·log w, which gives the entropy. */
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

/** Returns the maximum, or NaN if any value is NaN. A plain loop is used, because it runs once per sampled token. */
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

/** Applies top-k and top-p: zeroes the weights of all other tokens. Of equally likely tokens, the first is kept. */
function truncate(all: Weights, { topK, topP }: Choice): Weights {
  const { weights, total } = all;
  if ((topK <= 0 || topK >= weights.length) && topP >= 1) return all;
  const most = topK > 0 ? topK : weights.length;
  const kept = new Float64Array(weights.length);
  let reached = 0;
  // Tokens are picked one by one: a few have nearly all of the probability, so sorting would be slower.
  for (let count = 0; count < most && reached < topP * total; count++) {
    const index = largestOutside(kept, weights);
    if (index === -1) break;
    kept[index] = weights[index] ?? 0;
    reached += kept[index];
  }
  return { weights: kept, total: reached };
}

/** Index of the largest positive weight outside `kept`, the first among equals, or −1. */
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

/** Settings compiled into a graph. The temperature is a feed: `inverseTemperature`, shape (1), 1 if greedy. */
export type ChoiceKind = Omit<Choice, "temperature"> & { readonly isGreedy: boolean };

/** Number of bisections until the interval around the threshold of top-k and top-p contains no further f32 number. */
const numHalvings = 34;
/** Lower limit of the search for the threshold: exponent at which e^x is 0 in single precision. */
const least = -105;
const kept = { keepDims: true };

/**
 * Graph that samples a token for every row of a batch as `chooseToken` does, in single precision. Feeds: `draws` (B,
 * 1) in [0, 1), one uniform number per row, and `inverseTemperature`. Equally likely tokens at the edge of top-k or
 * top-p are all kept, not only the first.
 * @param logits shape (B, V)
 * @returns token, log-probability and entropy, each of shape (B, 1); the token as f32
 */
export function choiceGraph(
  logits: Tensor,
  kind: ChoiceKind,
): Readonly<Record<"token" | "logProb" | "entropy", Tensor>> {
  const [numRows = 0, size = 0] = logits.shape;
  const indices = constant(
    Float32Array.from({ length: size }, (_, i) => i),
    [1, size],
  );
  const most = max(logits, -1, kept);
  const exponents = mul(sub(logits, most), input("inverseTemperature", [1]));
  const weights = exp(exponents);
  const total = sum(weights, -1, kept);
  const energy = sum(mul(weights, exponents), -1, kept);
  const token = kind.isGreedy
    ? neg(max(neg(where(greater(most, logits), size, indices)), -1, kept))
    : drawn(truncated({ exponents, weights, total }, kind), input("draws", [numRows, 1]));
  const within = minimum(token, size - 1);
  const isChosen = mul(isGreater(add(indices, 0.5), within), isGreater(add(within, 0.5), indices));
  const logTotal = log(total);
  return {
    token: within,
    logProb: sub(sum(where(greater(isChosen, 0), exponents, 0), -1, kept), logTotal),
    entropy: sub(logTotal, div(energy, total)),
  };
}

/** Inverse transform: the first token at which the cumulative weight exceeds `draws` times the total. */
function drawn(weights: Tensor, draws: Tensor): Tensor {
  const size = weights.shape.at(-1) ?? 0;
  const reached = cumulativeSum(weights);
  const target = mul(draws, slice(reached, -1, [size - 1, size]));
  return sum(sub(1, isGreater(reached, target)), -1, kept);
}

type Weighed = Readonly<Record<"exponents" | "weights" | "total", Tensor>>;

/**
 * Applies top-k and top-p: keeps the tokens whose exponents reach a threshold, and zeroes the weights of all others.
 * The threshold is the largest that keeps enough tokens. Bisection finds it, because sorting is slow on a device.
 */
function truncated({ exponents, weights, total }: Weighed, { topK, topP }: ChoiceKind): Tensor {
  const [numRows = 0, size = 0] = exponents.shape;
  if ((topK <= 0 || topK >= size) && topP >= 1) return weights;
  let [low, high] = [fill(least, [numRows, 1]), fill(1, [numRows, 1])];
  for (let i = 0; i < numHalvings; i++) {
    const middle = mul(add(low, high), 0.5);
    const isAbove = sub(1, isGreater(middle, exponents));
    const isLacking = greater(mul(total, topP), sum(mul(isAbove, weights), -1, kept));
    const isShort = topK > 0 ? greater(topK, sum(isAbove, -1, kept)) : undefined;
    // True where tokens above `middle` are fewer than top-k and less probable than top-p, so the threshold is lower.
    const isBoth = greater(isShort ? mul(toFloat(isLacking), toFloat(isShort)) : toFloat(isLacking), 0);
    [low, high] = [where(isBoth, low, middle), where(isBoth, middle, high)];
  }
  return where(greater(low, exponents), 0, weights);
}
