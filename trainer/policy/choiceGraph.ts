import {
  add,
  constant,
  cumulativeSum,
  exp,
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
  where,
} from "#trainer/graph/ops.ts";
import { div, fill, toFloat } from "#trainer/graph/ops.ts";
import type { Tensor } from "#trainer/graph/tensor.ts";
import type { Choice } from "./chooseToken.ts";

/** Kind of sampling in a graph. The temperature is a feed: `inverseTemperature` (1), which is 1 for greedy sampling. */
export type ChoiceKind = Omit<Choice, "temperature"> & { readonly isGreedy: boolean };

/** Number of bisections of the range of exponents, after which adjacent single-precision numbers are separated. */
const numHalvings = 34;
/** e to this power is 0 in single precision. */
const least = -105;
const kept = { keepDims: true };

/**
 * The choice of `chooseToken` for all rows at once, in single precision. Feeds: `draws` (B, 1) in [0, 1), one per row,
 * and `inverseTemperature`. Equally likely tokens at the edge of top-k or top-p are all kept, not only the first.
 * @param logits (B, V)
 * @returns each (B, 1); the token as a number
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

/** The first token at which the cumulative weight exceeds `draws` times the total. */
function drawn(weights: Tensor, draws: Tensor): Tensor {
  const size = weights.shape.at(-1) ?? 0;
  const reached = cumulativeSum(weights);
  const target = mul(draws, slice(reached, -1, [size - 1, size]));
  return sum(sub(1, isGreater(reached, target)), -1, kept);
}

type Weighed = Readonly<Record<"exponents" | "weights" | "total", Tensor>>;

/**
 * Zeroes all except the most likely tokens: those above the largest threshold that leaves enough of them. The threshold
 * is found by bisection, because sorting is slow on a device.
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
    // Too few tokens and too little probability.
    const isBoth = greater(isShort ? mul(toFloat(isLacking), toFloat(isShort)) : toFloat(isLacking), 0);
    [low, high] = [where(isBoth, low, middle), where(isBoth, middle, high)];
  }
  return where(greater(low, exponents), 0, weights);
}
