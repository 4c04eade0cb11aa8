import { tokenAdvantages } from "#trainer/objective/advantage.ts";
import { aggregationWeights } from "#trainer/objective/aggregation.ts";
import { emptyTally, mergeTallies, summarise, tallyPolicy } from "#trainer/objective/diagnostics.ts";
import type { AdamW } from "#trainer/objective/optimizer.ts";
import { withTurnPenalty } from "#trainer/objective/reward.ts";
import type { Row } from "#trainer/objective/row.ts";
import { keptRows, maskRows, type TokenBatch } from "#trainer/objective/sequenceMask.ts";
import { effectiveAggregation } from "#trainer/spec/method.ts";
import { split, type Rng } from "#trainer/spec/rng.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { chunk, layOutResponses, packResponses, type TokenRow } from "./batch.ts";
import type { Learner, LossParts, Parameters } from "./learner.ts";
import type { GroupRecord } from "./rollout.ts";
import { isValid, meanOf } from "./summary.ts";

/** One row with everything its loss reads. */
export type UpdateRow = TokenRow & {
  /** Per response token, as all that follows. */
  advantages: Float32Array;
  oldLogProbs: Float32Array;
  referenceLogProbs: Float32Array;
};

export type Update = {
  spec: RunSpec;
  learner: Learner;
  optimizer: AdamW;
  /** Changed in place. */
  parameters: Parameters;
};

/** Scores the rows of the kept groups under the old and the reference policy and computes their advantages. */
export async function prepareRows(
  { spec, learner, parameters }: Update,
  groups: readonly GroupRecord[],
  referenceParameters: Parameters,
): Promise<{ rows: UpdateRow[]; entropyMean: number }> {
  const turns = groups.flatMap((group, groupIndex) =>
    group.episodes.flatMap((episode, episodeIndex) =>
      episode.turns.map((turn) => ({ turn, episode, groupIndex, episodeIndex })),
    ),
  );
  const tokenRows = turns.map(({ turn }) => turn);
  const old = await learner.score(parameters, tokenRows);
  const reference = await learner.score(referenceParameters, tokenRows);
  const rows = turns.map(({ turn, episode, groupIndex, episodeIndex }, i): Row => ({
    group: groupIndex,
    episode: episodeIndex,
    turn: turn.turn,
    anchor: turn.anchor,
    reward: turn.reward,
    episodeReward: episode.episodeReward,
    isValid: isValid(turn),
    numTokens: turn.response.length,
    entropy: meanOf([...(old[i]?.entropies ?? [])]),
  }));
  const { advantages } = tokenAdvantages({
    rows: withTurnPenalty(rows, spec.reward.turnPenalty),
    advantage: spec.method.advantage,
    penalties: { ...spec.reward, maxResponseTokens: spec.rollout.maxResponseTokens },
  });
  const empty = new Float32Array(0);
  return {
    rows: turns.map(({ turn }, i) => ({
      prompt: turn.prompt,
      response: turn.response,
      advantages: Float32Array.from(advantages[i] ?? []),
      oldLogProbs: old[i]?.logProbs ?? empty,
      referenceLogProbs: reference[i]?.logProbs ?? empty,
    })),
    entropyMean: meanOf(old.flatMap((scores) => [...scores.entropies])),
  };
}

/** One iteration's optimiser steps: `epochs` passes over the rows, shuffled, in mini-batches. */
export async function updatePolicy(update: Update, rows: readonly UpdateRow[], iteration: number) {
  const { spec, optimizer, parameters } = update;
  const norms: number[] = [];
  const losses: LossParts[] = [];
  let tally = emptyTally;
  let numSkipped = 0;
  let numSkippedAtEnd = 0;
  let numTokens = 0;
  for (let epoch = 0; epoch < spec.update.epochs; epoch++) {
    const order = shuffled(rows, split(spec.seed, "minibatches", iteration, epoch));
    for (const minibatch of chunk(order, spec.update.minibatchRows)) {
      const { gradients, loss, tally: own, numTokens: ownTokens } = await differentiate(update, minibatch);
      const { gradientNorm, skipped } = optimizer.step(parameters, gradients, spec.optimizer.learningRate);
      norms.push(gradientNorm);
      losses.push(loss);
      tally = mergeTallies(tally, own);
      numSkipped += skipped ? 1 : 0;
      numSkippedAtEnd = skipped ? numSkippedAtEnd + 1 : 0;
      numTokens += ownTokens;
    }
  }
  return {
    numTokens,
    numSteps: norms.length,
    numSkipped,
    /** How many of the last steps in a row were skipped. */
    numSkippedAtEnd,
    values: {
      "loss/total": meanOf(losses.map((loss) => loss.total)),
      "loss/policy": meanOf(losses.map((loss) => loss.policy)),
      "loss/kl": meanOf(losses.map((loss) => loss.kl)),
      "loss/entropy": meanOf(losses.map((loss) => loss.entropy)),
      "update/gradientNorm": meanOf(norms),
      "update/gradientNormMax": norms.reduce((most, norm) => Math.max(most, norm), -Infinity),
      "update/learningRate": spec.optimizer.learningRate,
      "update/numSteps": norms.length,
      "update/skippedSteps": numSkipped,
      "advantage/absMean": meanOf(rows.map((row) => Math.abs(row.advantages[0] ?? 0))),
      ...summarise(tally),
    },
  };
}

/** Gradient of one mini-batch, with the denominators of the whole mini-batch whatever its micro-batches. */
async function differentiate(update: Omit<Update, "optimizer">, rows: readonly UpdateRow[]) {
  const { spec, learner, parameters } = update;
  const { shape, mask } = layOutResponses(rows);
  const pack = (values: (row: UpdateRow) => Float32Array): Float32Array => packResponses(rows.map(values), shape);
  const advantages = pack((row) => row.advantages);
  const oldLogProbs = pack((row) => row.oldLogProbs);
  const referenceLogProbs = pack((row) => row.referenceLogProbs);
  const kept = await rowsInLoss(update, rows, { shape, mask, advantages, oldLogProbs });
  const options = { normaliserTokens: spec.rollout.maxResponseTokens };
  const aggregation = effectiveAggregation(spec.method);
  const { gradients, loss, logProbs } = await learner.policyGradient(parameters, rows, {
    advantages,
    oldLogProbs,
    referenceLogProbs,
    policyWeights: aggregationWeights(kept ? maskRows(mask, shape, kept) : mask, shape, aggregation, options),
    penaltyWeights: aggregationWeights(mask, shape, aggregation, options),
    signal: new Float32Array(mask.length),
  });
  const batch = { shape, mask, logProbs, oldLogProbs, referenceLogProbs, advantages };
  return {
    gradients,
    loss,
    tally: tallyPolicy(spec.method.clipping, { ...batch, ...(kept && { kept }) }),
    numTokens: rows.reduce((n, row) => n + row.prompt.length + row.response.length, 0),
  };
}

/** What sequence masking keeps, from a forward pass under the current parameters; undefined without a mask. */
async function rowsInLoss(
  { spec, learner, parameters }: Omit<Update, "optimizer">,
  rows: readonly UpdateRow[],
  batch: Omit<TokenBatch, "logProbs">,
): Promise<boolean[] | undefined> {
  const { clipping } = spec.method;
  if (!("sequenceMask" in clipping) || clipping.sequenceMask === null) return undefined;
  const scores = await learner.score(parameters, rows);
  const logProbs = packResponses(
    scores.map((score) => score.logProbs),
    batch.shape,
  );
  return keptRows({ ...batch, logProbs }, clipping.sequenceMask.delta);
}

/** A copy in random order. */
export function shuffled<Item>(items: readonly Item[], rng: Rng): Item[] {
  const keyed = items.map((item) => ({ item, key: rng.next() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
