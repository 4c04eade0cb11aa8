import { gradients } from "#trainer/graph/backward.ts";
import { mul, sum } from "#trainer/graph/ops.ts";
import { clipEvents, clipRule, policyLoss } from "#trainer/objective/clipping.ts";
import { sequenceRatio } from "#trainer/objective/diagnostics.ts";
import { boundLogRatio } from "#trainer/objective/logRatio.ts";
import { lossNodes } from "#trainer/objective/loss.ts";
import { makeSession } from "#trainer/onnx/session.ts";
import type { Fate } from "#trainer/spec/keptGroup.ts";
import type { Method } from "#trainer/spec/method.ts";
import { clippingTraits, signalOf } from "#trainer/spec/traits.ts";
import { layOutResponses, packResponses, type TokenRow, unpackResponses } from "./batch.ts";

/** A training row as one optimizer step saw it; arrays have one value per response token. */
export type SeenRow = {
  row: TokenRow & { advantages: ArrayLike<number> };
  /** Log-probabilities before the step, and the denominator of the ratio. */
  logProbs: Float32Array;
  anchorLogProbs: Float32Array;
  weights: Float32Array;
  signal: Float32Array;
  /** False if the row was dropped as a whole. */
  isKept: boolean;
};

/** Effect of the loss on the tokens of a row; see `GroupToken`. */
export type TokenLosses = { ratios: Float64Array; losses: Float32Array; gradients: Float32Array; fates: Fate[] };

/** Computes ratio, loss, gradient and fate of every token of some rows. Rows must be whole: ratios may be theirs. */
export async function tokenLosses(method: Method, seen: readonly SeenRow[]): Promise<TokenLosses[]> {
  if (seen.length === 0) return [];
  const rows = seen.map(({ row }) => row);
  const { shape, mask } = layOutResponses(rows);
  const pack = (read: (one: SeenRow) => ArrayLike<number>): Float32Array<ArrayBuffer> =>
    packResponses(seen.map(read), shape);
  const [logProbs, oldLogProbs] = [pack((one) => one.logProbs), pack((one) => one.anchorLogProbs)];
  const [advantages, policyWeights] = [pack(({ row }) => row.advantages), pack((one) => one.weights)];
  const signal = pack((one) => one.signal);
  const batch = { shape, mask, logProbs, oldLogProbs };
  const evaluated = await evaluate(method, { ...batch, advantages, policyWeights, signal });
  const losses = unpackResponses(rows, evaluated.loss, shape);
  const slopes = unpackResponses(rows, evaluated.gradient, shape);
  const rule = clipRule(method.clipping);
  // A soft gate has no bound: the range by which metrics count its tokens changes no loss.
  const isBounded = clippingTraits[method.clipping.kind].range !== null;
  return seen.map((one, i) => {
    const ratios = ratiosOf(method, one, () => sequenceRatio(batch, i));
    const [ofLoss, ofGradient] = [losses[i] ?? new Float32Array(), slopes[i] ?? new Float32Array()];
    const fates = Array.from(ratios, (ratio, t): Fate => {
      const advantage = one.row.advantages[t] ?? NaN;
      if (!one.isKept) return "maskedRow";
      if (one.weights[t] === 0) return "maskedToken";
      const events = clipEvents(rule, ratio, advantage);
      if (events.isDual) return "clippedDual";
      if (isBounded && events.isClipped) return events.isAbove ? "clippedHigh" : "clippedLow";
      return advantage !== 0 && ofGradient[t] === 0 ? "maskedToken" : "used";
    });
    return { ratios, losses: ofLoss, gradients: ofGradient, fates };
  });
}

/** Returns each token's ratio that the clip range bounds: its own, its turn's or its row's. */
function ratiosOf({ clipping }: Method, { logProbs, anchorLogProbs, signal }: SeenRow, ofRow: () => number) {
  if (clippingTraits[clipping.kind].ratio === "row") return new Float64Array(logProbs.length).fill(ofRow());
  const isOfTurn = signalOf(clipping) === "turns";
  return Float64Array.from(logProbs, (x, t) =>
    Math.exp(boundLogRatio(isOfTurn ? (signal[t] ?? NaN) : x - (anchorLogProbs[t] ?? NaN))),
  );
}

type Inputs = Record<"mask" | "logProbs" | "oldLogProbs" | "advantages" | "policyWeights" | "signal", Float32Array>;

/** (B, R) loss ℓ of every token, and gradient of Σ W·ℓ by its log-probability, from the training graph's functions. */
async function evaluate({ clipping }: Method, { shape, ...feeds }: Inputs & { shape: readonly [number, number] }) {
  const nodes = lossNodes(shape);
  const loss = policyLoss(clipping, nodes);
  const [gradient] = gradients(sum(mul(nodes.policyWeights, loss)), [nodes.logProbs]);
  if (!gradient) throw new Error("the loss has no gradient");
  // The loss of some kinds is (B, 1), equal for all tokens of a row.
  const session = await makeSession({ loss: mul(loss, nodes.mask), gradient });
  try {
    return await session.run(feeds);
  } finally {
    await session.close();
  }
}
