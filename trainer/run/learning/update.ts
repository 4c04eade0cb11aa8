import { emptyTally, mergeTallies, summarise, tallyPolicy } from "#trainer/objective/diagnostics.ts";
import { describeCorrection, tallyCorrection, type CorrectionTally } from "#trainer/objective/correctionTally.ts";
import { lossConstants, type LossConstants } from "#trainer/objective/lossConstants.ts";
import { needsCurrentPolicy } from "#trainer/objective/tokenSignal.ts";
import { correctionOf, readsCurrentPolicy } from "#trainer/spec/correction.ts";
import { chanceOf } from "#trainer/spec/origin.ts";
import { split, type Rng } from "#trainer/spec/rng.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { signalOf } from "#trainer/spec/traits.ts";
import { chunk, layOutResponses, packResponses, type ResponseShape } from "./batch.ts";
import { meanWeight } from "#trainer/objective/correction.ts";
import type { UpdateRow } from "./credit.ts";
import type { Critic, ValueRow } from "./critic.ts";
import type { Learner, LossParts, Scores, Weights } from "./learner.ts";
import type { Optimizer } from "./store.ts";
import { meanOf, medianOf } from "#trainer/spec/averages.ts";

export type Update = {
  spec: RunSpec;
  /** Maximum number of response tokens in a training row. */
  maxRowTokens: number;
  learner: Learner;
  optimizer: Optimizer;
  /** Policy parameters to update, mutated in place. */
  parameters: Weights;
  /** Called before every optimizer step; throws when the run was asked to stop. */
  check: () => void;
  /** Called with the rows of every optimizer step and the values of their loss. */
  watch?: ((pass: LossPass) => void) | undefined;
};

/** Rows of one minibatch with the values of their loss; arrays are (B, R), `kept` is (B,). */
export type LossPass = Pick<LossConstants, "policyWeights" | "oldLogProbs" | "signal" | "kept"> & {
  rows: readonly UpdateRow[];
  shape: ResponseShape;
  /** Log-probabilities before the optimizer step. */
  logProbs: Float32Array;
};

/** Performs one iteration's optimizer steps on the policy: `epochs` passes over the shuffled rows, in minibatches. */
export async function updatePolicy(
  update: Update,
  rows: readonly UpdateRow[],
  { iteration, lossScale }: { iteration: number; lossScale: number },
) {
  const { spec, optimizer, parameters, check } = update;
  const entropyThreshold = medianOf(rows.flatMap((row) => [...row.entropies]));
  const norms: number[] = [];
  const losses: LossParts[] = [];
  let tally = emptyTally;
  let positions = { held: 0, padded: 0 };
  const control = { mass: 0, numTokens: 0 };
  let [numSkipped, numSkippedAtEnd] = [0, 0];
  const corrections: CorrectionTally[] = [];
  const whole = meanWeightOf(spec, rows);
  const chance = chanceOf(spec);
  for (let epoch = 0; epoch < spec.update.epochs; epoch++) {
    const order = shuffled(rows, split(chance, "minibatches", iteration, epoch));
    for (const [i, minibatch] of chunk(order, spec.update.minibatchRows).entries()) {
      check();
      const rng = split(chance, "signal", iteration, epoch, i);
      const step = await differentiate(update, minibatch, { rng, lossScale, entropyThreshold, iteration, ...whole });
      const learningRate = spec.optimizer.learningRate * step.stepScale;
      const { gradientNorm, skipped } = await optimizer.step(parameters, step.gradients, learningRate);
      norms.push(gradientNorm);
      losses.push(step.loss);
      tally = mergeTallies(tally, step.tally);
      positions = { held: positions.held + step.positions.held, padded: positions.padded + step.positions.padded };
      control.mass += step.control.mass;
      control.numTokens += step.control.numTokens;
      if (step.correction) corrections.push(step.correction);
      numSkipped += skipped ? 1 : 0;
      numSkippedAtEnd = skipped ? numSkippedAtEnd + 1 : 0;
    }
  }
  return {
    numTokens: positions.held,
    numSteps: norms.length,
    numSkipped,
    /** Consecutive steps skipped at the iteration's end because of non-finite gradients. */
    numSkippedAtEnd,
    values: {
      ...(norms.length > 0 && {
        "loss/total": meanOf(losses.map((loss) => loss.total)),
        "loss/policy": meanOf(losses.map((loss) => loss.policy)),
        "loss/kl": meanOf(losses.map((loss) => loss.kl)),
        "loss/entropy": meanOf(losses.map((loss) => loss.entropy)),
        "update/gradientNorm": meanOf(norms),
        "update/gradientNormMax": norms.reduce((most, norm) => Math.max(most, norm), -Infinity),
        "update/paddingFraction": positions.padded / (positions.held + positions.padded),
      }),
      "update/learningRate": spec.optimizer.learningRate,
      "update/numSteps": norms.length,
      "update/skippedSteps": numSkipped,
      ...(control.numTokens > 0 && { "policy/controlMass": control.mass / control.numTokens }),
      ...describeCorrection(spec, corrections),
      ...summarise(tally),
    },
  };
}

type Step = { rng: Rng; lossScale: number; entropyThreshold: number; iteration: number; meanWeight?: number };

/** Computes the gradient of one minibatch. Every micro-batch uses the denominators of the whole minibatch. */
async function differentiate(
  { spec, maxRowTokens, learner, parameters, watch }: Update,
  rows: readonly UpdateRow[],
  { rng, lossScale, entropyThreshold, iteration, ...whole }: Step,
) {
  const { clipping } = spec.method;
  const correction = correctionOf(spec.method, spec.update);
  const { shape, mask } = layOutResponses(rows);
  const pack = (values: (row: UpdateRow) => ArrayLike<number>): Float32Array => packResponses(rows.map(values), shape);
  const [advantages, ownOldLogProbs] = [pack((row) => row.advantages), pack((row) => row.oldLogProbs)];
  const turns = pack((row) => row.turns);
  const referenceLogProbs = pack((row) => row.referenceLogProbs);
  const entropies = pack((row) => row.entropies);
  // Sequence masks, covariances and AEPO's entropies need a forward pass of the current policy.
  const needsCurrent = needsCurrentPolicy(clipping) || readsCurrentPolicy(correction);
  const current = needsCurrent ? await learner.score(parameters, rows) : undefined;
  const packCurrent = (read: (scores: Scores) => Float32Array): Float32Array | undefined =>
    current && packResponses(current.map(read), shape);
  const before = {
    shape,
    mask,
    advantages,
    turns,
    ages: agesOf(rows, iteration),
    oldLogProbs: ownOldLogProbs,
    entropies: packCurrent((scores) => scores.entropies) ?? entropies,
    samplerLogProbs: pack((row) => row.samplerLogProbs),
    logProbs: packCurrent((scores) => scores.logProbs) ?? ownOldLogProbs,
  };
  const sizes = { maxResponseTokens: maxRowTokens, lossScale };
  const { kept, corrected, ...constants } = lossConstants({ ...spec, ...sizes, ...whole }, before, rng);
  const inputs = { advantages, referenceLogProbs, ...constants };
  const { logProbs, ...step } = await learner.policyGradient(parameters, rows, inputs);
  watch?.({ rows, shape, logProbs, kept, ...constants });
  const tally = tallyPolicy(clipping, {
    shape,
    mask,
    logProbs,
    oldLogProbs: constants.oldLogProbs,
    referenceLogProbs,
    advantages,
    ...(kept && { kept }),
    ...(signalOf(clipping) === "turns" && { turnLogRatios: constants.signal }),
    context: { entropies, entropyThreshold, turns },
  });
  const stepScale = corrected?.stepScale ?? 1;
  return { ...step, tally, stepScale, correction: corrected && tallyCorrection(corrected, before) };
}

/** Performs the critic's optimizer steps of one iteration, with the policy's minibatch size. */
export async function updateCritic(
  { spec, critic, check }: { spec: RunSpec; critic: Critic; check: () => void },
  rows: readonly ValueRow[],
  iteration: number,
): Promise<Record<string, number>> {
  const steps = [];
  for (let epoch = 0; epoch < spec.update.epochs; epoch++) {
    const order = shuffled(rows, split(chanceOf(spec), "critic", iteration, epoch));
    for (const minibatch of chunk(order, spec.update.minibatchRows)) {
      check();
      steps.push(await critic.step(minibatch));
    }
  }
  if (steps.length === 0) return {};
  return {
    "critic/loss": meanOf(steps.map((step) => step.loss)),
    "critic/clipFraction": meanOf(steps.map((step) => step.clipFraction)),
    "critic/gradientNorm": meanOf(steps.map((step) => step.gradientNorm)),
  };
}

export function shuffled<Item>(items: readonly Item[], rng: Rng): Item[] {
  const keyed = items.map((item) => ({ item, key: rng.next() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

/** (B,) staleness in iterations. The newest policy that can sample is the previous iteration's. */
function agesOf(rows: readonly UpdateRow[], iteration: number): number[] {
  return rows.map(({ version = iteration - 1 }) => iteration - 1 - version);
}

/**
 * Returns the mean importance weight of an iteration's rows, if all minibatches divide by this mean. Empty if the
 * correction compares the sampler with the current policy, because every minibatch then has its own mean.
 */
function meanWeightOf({ method, update }: RunSpec, rows: readonly UpdateRow[]): { meanWeight?: number } {
  const correction = correctionOf(method, update);
  if (!correction.weight?.normalise || correction.proximal !== "recomputed") return {};
  const { shape, mask } = layOutResponses(rows);
  const pack = (read: (row: UpdateRow) => ArrayLike<number>): Float32Array => packResponses(rows.map(read), shape);
  const [oldLogProbs, advantages] = [pack((row) => row.oldLogProbs), pack((row) => row.advantages)];
  const samplerLogProbs = pack((row) => row.samplerLogProbs);
  return {
    meanWeight: meanWeight(correction, {
      shape,
      mask,
      advantages,
      oldLogProbs,
      samplerLogProbs,
      logProbs: oldLogProbs,
    }),
  };
}
