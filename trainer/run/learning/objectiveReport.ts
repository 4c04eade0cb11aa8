import { gradients } from "#trainer/graph/backward.ts";
import { tokenAdvantages } from "#trainer/objective/advantage.ts";
import { summarise, tallyPolicy } from "#trainer/objective/diagnostics.ts";
import { klEstimate } from "#trainer/objective/kl.ts";
import { buildLoss, lossNodes, type LossCoefs } from "#trainer/objective/loss.ts";
import { describeCorrection, tallyCorrection } from "#trainer/objective/correctionTally.ts";
import { lossConstants, type LossConstants } from "#trainer/objective/lossConstants.ts";
import { describeMismatch, type MismatchRow } from "#trainer/objective/mismatch.ts";
import { rowRatio } from "#trainer/objective/opob.ts";
import { withTurnPenalty } from "#trainer/objective/reward.ts";
import type { Row } from "#trainer/objective/row.ts";
import { makeSession } from "#trainer/onnx/session.ts";
import { effectiveAggregation, penaltyAggregationOf, type Method } from "#trainer/spec/method.ts";
import type { MetricKey } from "#trainer/spec/metric.ts";
import { split } from "#trainer/spec/rng.ts";
import type { RewardSpec, UpdateSpec } from "#trainer/spec/run.ts";
import { signalOf } from "#trainer/spec/traits.ts";
import { meanOf, medianOf } from "#trainer/spec/averages.ts";

/** One minibatch with every input of its loss, for a report of the loss. All matrices are (B, T), row-major. */
export type ObjectiveBatch = {
  method: Method;
  update: Required<LossCoefs> & Pick<UpdateSpec, "truncatedImportance" | "denominatorRows">;
  /** Maximum response length in tokens: the divisor of `seqMeanTokenSumNorm`, and the limit of the overlong penalty. */
  maxResponseTokens: number;
  /** Seed of the random token choice in Clip-Cov. */
  seed: number;
  shape: readonly [numRows: number, numTokens: number];
  mask: Uint8Array;
  logProbs: Float64Array;
  oldLogProbs: Float64Array;
  referenceLogProbs?: Float64Array;
  samplerLogProbs?: Float64Array;
  /** (B,) staleness of each row in iterations: newest policy version minus the sampling one. */
  ages?: readonly number[];
  /** Token entropies of the old policy and of the current policy, in nats. */
  oldEntropies?: Float64Array;
  newEntropies?: Float64Array;
  credit: { kind: "advantages"; advantages: Float64Array } | RowCredit;
  /** (B, T) index of each token's turn in its episode. */
  turns?: readonly number[];
  /** Minimum entropy of a high-entropy token in nats; default: the batch's median. */
  entropyThreshold?: number;
};

/** Turns with rewards for the advantages, reward penalties, and the critic's values if there is one. */
type RowCredit = { kind: "rows"; rows: readonly Row[]; reward: RewardSpec; values?: Float64Array };

type Matrix = number[][];

export type ObjectiveReport = {
  /** Aggregation of the policy loss that is applied, which some clipping kinds prescribe. */
  aggregation: Method["aggregation"];
  penaltyAggregation: Method["aggregation"];
  clipping: Method["clipping"];
  /** Value of the loss: `total` = `policy` + `kl` − `entropy`, where each term includes its coefficient. */
  loss: { total: number; policy: number; kl: number; entropy: number };
  /** (B, T) derivative of `total` with respect to every response token's log π. */
  gradient: Matrix;
  advantages: Matrix;
  /** (B, T) weights W in Σ W·ℓ: aggregation weights times the correction's ω, if any. */
  weights: Matrix;
  /** Rows with a token left after sequence masking and rejection; absent if the method has neither. */
  keptRows?: boolean[];
  /** Weights ω, mask of kept tokens, factor on the learning rate; absent without a correction. */
  correction?: { weights: Matrix; kept: Matrix; stepScale: number };
  /** (B, T) per-token input of the clipping kind, such as z-scored entropy; absent if the kind needs none. */
  signal?: Matrix;
  diagnostics: Partial<Record<MetricKey, number>>;
};

/** ONNX Runtime executes the training graph in single precision; metrics are in double precision, as in training. */
export async function reportObjective(batch: ObjectiveBatch): Promise<ObjectiveReport> {
  const { method, shape, mask, logProbs, oldLogProbs, samplerLogProbs, ages } = batch;
  const advantages = advantagesOf(batch);
  const entropies = batch.newEntropies ?? new Float64Array(mask.length);
  const { turns } = batch;
  const tokens = { shape, mask, logProbs, oldLogProbs, advantages, entropies, ...(turns && { turns }) };
  const constants = lossConstants(
    batch,
    { ...tokens, ...(samplerLogProbs && { samplerLogProbs }), ...(ages && { ages }) },
    split(batch.seed, "signal"),
  );
  const { gradient, ...loss } = await evaluate(batch, advantages, constants);
  const toMatrix = (values: ArrayLike<number>): Matrix => matrixOf(values, shape);
  return {
    aggregation: effectiveAggregation(method),
    penaltyAggregation: penaltyAggregationOf(method),
    clipping: method.clipping,
    loss,
    gradient: toMatrix(gradient),
    advantages: toMatrix(advantages),
    weights: toMatrix(constants.policyWeights),
    ...(constants.kept && { keptRows: constants.kept }),
    ...(constants.corrected && {
      correction: {
        weights: toMatrix(constants.corrected.weights),
        kept: toMatrix(constants.corrected.kept),
        stepScale: digits(constants.corrected.stepScale),
      },
    }),
    ...(signalOf(method.clipping) !== null && { signal: toMatrix(constants.signal) }),
    diagnostics: diagnose(batch, advantages, constants),
  };
}

async function evaluate(batch: ObjectiveBatch, advantages: Float64Array, constants: LossConstants) {
  const { shape, mask } = batch;
  const nodes = lossNodes(shape);
  const loss = buildLoss(batch.method, batch.update, nodes);
  const [gradient] = gradients(loss.total, [nodes.logProbs]);
  if (!gradient) throw new Error("objective: the loss has no gradient");
  const zeros = new Float32Array(mask.length);
  const session = await makeSession({ ...loss, gradient });
  try {
    const outputs = await session.run({
      logProbs: Float32Array.from(batch.logProbs),
      oldLogProbs: constants.oldLogProbs,
      referenceLogProbs: batch.referenceLogProbs ? Float32Array.from(batch.referenceLogProbs) : zeros,
      entropy: batch.newEntropies ? Float32Array.from(batch.newEntropies) : zeros,
      advantages: Float32Array.from(advantages),
      mask: Float32Array.from(mask),
      policyWeights: constants.policyWeights,
      penaltyWeights: constants.penaltyWeights,
      signal: constants.signal,
    });
    const scalar = (values: Float32Array): number => digits(values[0] ?? NaN);
    return {
      total: scalar(outputs.total),
      policy: scalar(outputs.policy),
      kl: scalar(outputs.kl),
      entropy: scalar(outputs.entropy),
      gradient: outputs.gradient,
    };
  } finally {
    await session.close();
  }
}

/** (B, T) advantages, 0 outside the response. */
function advantagesOf(batch: ObjectiveBatch): Float64Array {
  const { credit, mask } = batch;
  if (credit.kind === "advantages") return credit.advantages.map((x, at) => (mask[at] ? x : 0));
  const { rows, reward, values } = credit;
  const isKlInReward = batch.update.klPlacement === "reward" && batch.update.klCoef > 0;
  const { advantages } = tokenAdvantages({
    rows: withTurnPenalty(withRatios(rows, batch), reward.turnPenalty),
    advantage: batch.method.advantage,
    penalties: { ...reward, maxResponseTokens: batch.maxResponseTokens },
    shape: "windowed",
    ...(isKlInReward && { klPenalties: responsesOf(klPenalties(batch), batch) }),
    ...(values && { values: responsesOf(values, batch).map((ofRow) => Float32Array.from(ofRow)) }),
  });
  const all = new Float64Array(mask.length);
  const packed = advantages.flatMap((ofRow) => [...ofRow]);
  for (const [i, at] of responseIndices(mask).entries()) all[at] = packed[i] ?? 0;
  return all;
}

/** Adds the ratio π_old/μ of each row to it, if the sampler's log-probabilities are given. */
function withRatios(rows: readonly Row[], batch: ObjectiveBatch): readonly Row[] {
  if (!batch.samplerLogProbs) return rows;
  const ratios = mismatchRows(batch, batch.samplerLogProbs);
  return rows.map((row, i) => ({
    ...row,
    samplerRatio: rowRatio(ratios[i]?.oldLogProbs ?? [], ratios[i]?.samplerLogProbs ?? []),
  }));
}

/** (B, T) KL penalty in the reward: coefficient times the KL between old and reference policy. */
function klPenalties({ oldLogProbs, referenceLogProbs, update }: ObjectiveBatch): Float64Array {
  return oldLogProbs.map((x, at) => update.klCoef * klEstimate(update.klEstimator, x, referenceLogProbs?.[at] ?? x));
}

/** Splits (B, T) values into one array per row, which contains only its response tokens. */
function responsesOf(values: Float64Array, { mask, shape: [numRows, width] }: ObjectiveBatch): Float64Array[] {
  return Array.from({ length: numRows }, (_, i) =>
    values.slice(i * width, (i + 1) * width).filter((_, t) => mask[i * width + t]),
  );
}

function responseIndices(mask: Uint8Array): number[] {
  return Array.from(mask.keys()).filter((at) => mask[at]);
}

function diagnose(
  batch: ObjectiveBatch,
  advantages: Float64Array,
  { kept, corrected, oldLogProbs: anchorLogProbs, signal }: LossConstants,
): ObjectiveReport["diagnostics"] {
  const { mask, shape, logProbs, referenceLogProbs, samplerLogProbs, oldEntropies, turns } = batch;
  const tokens = responseIndices(mask);
  const tally = tallyPolicy(batch.method.clipping, {
    shape,
    mask,
    logProbs,
    oldLogProbs: actingLogProbs(batch, anchorLogProbs),
    advantages,
    ...(referenceLogProbs && { referenceLogProbs }),
    ...(kept && { kept }),
    ...(signalOf(batch.method.clipping) === "turns" && { turnLogRatios: signal }),
    ...(oldEntropies && {
      context: {
        entropies: oldEntropies,
        entropyThreshold: batch.entropyThreshold ?? medianOf(tokens.map((at) => oldEntropies[at] ?? NaN)),
        ...(turns && { turns }),
      },
    }),
  });
  if (tokens.length === 0) return summarise(tally);
  const perRow = responsesOf(advantages, batch).filter((ofRow) => ofRow.length > 0);
  return {
    "advantage/absMean": meanOf(perRow.map((ofRow) => meanOf([...ofRow].map(Math.abs)))),
    ...(oldEntropies && { "policy/entropy": meanOf(tokens.map((at) => oldEntropies[at] ?? NaN)) }),
    ...summarise(tally),
    ...(samplerLogProbs && describeMismatch(mismatchRows(batch, samplerLogProbs))),
    ...describeCorrection(batch, corrected ? [tallyCorrection(corrected, batch)] : []),
  };
}

function mismatchRows(batch: ObjectiveBatch, samplerLogProbs: Float64Array): MismatchRow[] {
  const [old, mu] = [batch.oldLogProbs, samplerLogProbs].map((values) => responsesOf(values, batch));
  return (old ?? []).map((oldLogProbs, i) => ({ oldLogProbs, samplerLogProbs: mu?.[i] ?? [] }));
}

/** Denominator of the ratios, in double precision if it is the old policy's. */
function actingLogProbs({ oldLogProbs }: ObjectiveBatch, anchor: Float32Array): ArrayLike<number> {
  return anchor.every((x, at) => x === Math.fround(oldLogProbs[at] ?? 0)) ? oldLogProbs : anchor;
}

function matrixOf(values: ArrayLike<number>, [numRows, width]: readonly [number, number]): Matrix {
  return Array.from({ length: numRows }, (_, i) =>
    Array.from({ length: width }, (_, t) => digits(values[i * width + t] ?? NaN)),
  );
}

/** Rounds to nine significant digits, which suffice to distinguish any two single-precision numbers. */
function digits(x: number): number {
  return Number(x.toPrecision(9));
}
