/** The gradient pass that benchmarks measure: loss of some responses, forward and backward. */
import { input, mul, neg, sum } from "#trainer/graph/ops.ts";
import type { Feeds, SessionOptions } from "#trainer/onnx/session.ts";
import type { PolicyConfig } from "#trainer/policy/config.ts";
import { makeGradientSession } from "#trainer/policy/gradientSession.ts";
import { parameterInputs } from "#trainer/policy/parameters.ts";
import { selectionInputs, tokenLogProbs, toLogits, transformer } from "#trainer/policy/transformer.ts";
import type { Rng } from "#trainer/spec/rng.ts";

/**
 * Batch rows, tokens per row and response tokens per row of a gradient pass: those of the Quick look preset, and
 * longer ones.
 */
export const passShapes = [
  { numRows: 64, numTokens: 40, numSelected: 12 },
  { numRows: 16, numTokens: 128, numSelected: 32 },
] as const satisfies readonly PassShape[];
export type PassShape = { readonly numRows: number; readonly numTokens: number; readonly numSelected: number };

export function passOf(config: PolicyConfig, { numRows, numTokens, numSelected }: PassShape) {
  const wrt = parameterInputs(config);
  const tokens = input("tokens", [numRows, numTokens], "i64");
  const network = { parameters: wrt, config };
  const { hidden } = transformer(network, tokens, selectionInputs(numRows, numSelected));
  const { logProbs } = tokenLogProbs(toLogits(network, hidden), input("targets", [numRows, numSelected], "i64"));
  return { loss: neg(sum(mul(logProbs, input("weights", [numRows, numSelected])))), wrt };
}

export function makePass(config: PolicyConfig, shape: PassShape, options: SessionOptions = {}) {
  return makeGradientSession({ ...passOf(config, shape), outputs: {} }, options);
}

/**
 * Returns all graph inputs of the gradient pass except the parameters. The last tokens of every batch row are the
 * response.
 */
export function passFeeds({ numRows, numTokens, numSelected }: PassShape, vocabularySize: number, rng: Rng) {
  const words = (length: number) => Int32Array.from({ length }, () => rng.int(vocabularySize));
  const selectedPositions = Int32Array.from(
    { length: numRows * numSelected },
    (_, i) => numTokens - numSelected + (i % numSelected),
  );
  return {
    tokens: words(numRows * numTokens),
    targets: words(numRows * numSelected),
    selectedPositions,
    selectedIndices: selectedPositions.map((position, i) => Math.floor(i / numSelected) * numTokens + position),
    weights: new Float32Array(numRows * numSelected).fill(1 / (numRows * numSelected)),
  } satisfies Feeds;
}
