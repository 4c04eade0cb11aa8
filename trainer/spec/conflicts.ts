import { spendingOf } from "./budget.ts";
import { correctionConflictsOf } from "./correctionConflicts.ts";
import { elsewhereConflictsOf, unplayable } from "./elsewhere.ts";
import { partConflictsOf } from "./partConflicts.ts";
import type { CellSpec } from "./run.ts";
import { stateConflictsOf } from "./origin.ts";
import { rolloutShapeOf } from "./rowTokens.ts";
import { controlsLoops, hasMismatch, precisionOf } from "./sampler.ts";
import { startConflictsOf } from "./start.ts";
import { advantageTraits, clippingTraits, samplingTraits } from "./traits.ts";

/** Problem of a valid specification: path of a field, and why its value has no meaning with the other settings. */
export type Conflict = { path: string; message: string };

/** Maximum response length in tokens of a built-in policy. Pretrained language models may write more. */
const mostResponseTokens = 512;

/** Finds combinations of settings that the trainer rejects, with reasons. They follow couplings in the papers' code. */
export function conflictsOf(cell: CellSpec): Conflict[] {
  const { method, update, rollout } = cell;
  const { clipping, advantage, sampling } = method;
  const found: Conflict[] = [];
  if (cell.environment.id === "custom" && cell.trainer === undefined) {
    found.push({ path: "environment.id", message: unplayable });
  }
  const refuse = (path: string, message: string): void => void found.push({ path, message });

  if (samplingTraits[sampling.kind].comparesGroup && rollout.groupSize < 2) {
    refuse(
      "rollout.groupSize",
      `is ${rollout.groupSize}, must be at least 2: ${sampling.kind} sampling compares the episodes of a group`,
    );
  }
  if (advantageTraits[advantage.kind].needsPeers && rollout.groupSize < 2) {
    refuse(
      "rollout.groupSize",
      "is 1, must be at least 2: leave-one-out compares an episode with the others of its group",
    );
  }
  if (advantage.kind === "reinforcePlusPlus" && advantage.baseline === "group" && (advantage.gamma ?? 1) !== 1) {
    refuse(
      "method.advantage.gamma",
      `is ${advantage.gamma}, must be 1 with the baseline "group": a training row has a single return, the sum of its rewards, which is not discounted`,
    );
  }
  found.push(...updateConflictsOf(cell));
  if (clippingTraits[clipping.kind].loss === "row" && update.denominatorRows !== null) {
    refuse(
      "update.denominatorRows",
      "the loss of geometric-mean clipping is a mean over the training rows of the minibatch; micro-batch means do not apply",
    );
  }
  found.push(...policyConflictsOf(cell), ...stateConflictsOf(cell), ...startConflictsOf(cell));
  const isBuiltIn = cell.trainer === undefined && cell.policy.pretrained === undefined;
  if (isBuiltIn && rollout.maxResponseTokens > mostResponseTokens) {
    const message = `is ${rollout.maxResponseTokens}, must be at most ${mostResponseTokens} with the built-in trainer`;
    refuse("rollout.maxResponseTokens", message);
  }
  found.push(
    ...correctionConflictsOf(cell),
    ...elsewhereConflictsOf(cell),
    ...partConflictsOf(cell),
    ...loopConflictsOf(cell),
  );
  for (const message of splitConflictsOf(cell)) refuse("budget.split", message);
  const { iterations } = spendingOf(cell);
  if (advantage.kind === "gae" && iterations > 0 && advantage.criticWarmupIterations >= iterations) {
    refuse(
      "method.advantage.criticWarmupIterations",
      `is ${advantage.criticWarmupIterations}, must be below the run's ${iterations} iterations: the policy does not learn during critic warm-up`,
    );
  }
  return found;
}

function updateConflictsOf({ update, rollout }: CellSpec): Conflict[] {
  const found: Conflict[] = [];
  const refuse = (path: string, message: string): void => void found.push({ path, message });
  if (update.klPlacement === "reward" && changesGradientAlone(update.klEstimator)) {
    refuse(
      "update.klEstimator",
      `${update.klEstimator} differs from other estimators only in its gradient, but a KL in the reward has no gradient`,
    );
  }
  if (update.klPlacement === "loss" && update.klTarget !== null) {
    refuse("update.klTarget", "the adaptive coefficient is defined for a KL in the reward; klPlacement is loss");
  }
  if (update.truncatedImportance !== null && update.oldLogProbs === "sampler" && !hasMismatch(rollout)) {
    refuse(
      "update.truncatedImportance",
      "the weight π_old/π_sampler is 1 everywhere when oldLogProbs is sampler; set oldLogProbs to trainer",
    );
  }
  return found;
}

/** Finds the reasons why loop-aware control cannot act with the other settings. */
function loopConflictsOf(cell: CellSpec): Conflict[] {
  const { rollout, evaluation } = cell;
  const found: Conflict[] = [];
  const refuse = (why: string): void =>
    void found.push({ path: "rollout.loopControl", message: `is ${rollout.loopControl}, but ${why}` });
  if (controlsLoops(rollout, "training") && rolloutShapeOf(cell) === "transcript") {
    refuse(
      "a training row is a whole episode (rollout.shape is transcript), which has no place for a rejected response: set it to evaluation, or rollout.shape to windowed",
    );
  }
  const isCold = evaluation.temperature === 0;
  if (controlsLoops(rollout, "evaluation") && (isCold || evaluation.topK === 1)) {
    const [setting, value] = isCold ? ["evaluation.temperature", 0] : ["evaluation.topK", 1];
    refuse(
      `evaluation is greedy (${setting} is ${value}), so that another response would be the same: set it to training, or ${setting} above ${value}`,
    );
  }
  return found;
}

/** Finds settings that a pretrained model overrides, and settings that require a pretrained model. */
function policyConflictsOf({ policy, rollout }: CellSpec): Conflict[] {
  const { pretrained, contextTokens, positions, loraRank, loraAlpha, loraTargets } = policy;
  if (pretrained === undefined) {
    if (loraRank !== undefined) {
      return [
        { path: "policy.loraRank", message: "applies only to a pretrained model: a built-in policy has no adapters" },
      ];
    }
    const message = "applies only to a pretrained model: the context of a built-in policy follows from its environment";
    return contextTokens === undefined ? [] : [{ path: "policy.contextTokens", message }];
  }
  const found: Conflict[] = [];
  if (loraRank === undefined && (loraAlpha !== undefined || loraTargets !== undefined)) {
    const path = loraAlpha === undefined ? "policy.loraTargets" : "policy.loraAlpha";
    found.push({ path, message: "has no effect without policy.loraRank, because there are no adapters" });
  }
  if (loraRank !== undefined && precisionOf(rollout) !== "float32") {
    const message = `is ${precisionOf(rollout)}, must be float32 with adapters: the pretrained weights would not be rounded`;
    found.push({ path: "rollout.samplerPrecision", message });
  }
  if (positions !== null) {
    found.push({
      path: "policy.positions",
      message: `is ${positions}, but a pretrained model has its own position encoding: leave it out`,
    });
  }
  if (contextTokens !== undefined && contextTokens <= rollout.maxResponseTokens) {
    const message = `is ${contextTokens}, must be above rollout.maxResponseTokens (${rollout.maxResponseTokens}) to leave room for a prompt`;
    found.push({ path: "policy.contextTokens", message });
  }
  return found;
}

/** True for a KL estimator that differs from another one only in its gradient, as long as the policy is unchanged. */
export function changesGradientAlone(estimator: CellSpec["update"]["klEstimator"]): boolean {
  return estimator.endsWith("+") || estimator === "k3w";
}

/** Returns the reasons why a budget cannot be split between demonstrations and reinforcement learning. */
function splitConflictsOf({ method: { sampling, advantage }, budget: { split }, initialisation }: CellSpec): string[] {
  if (split === null) return [];
  const messages: string[] = [];
  if (!("numEpisodes" in initialisation) && split.demonstrationShare > 0) {
    messages.push(
      `a share for demonstrations needs an initialisation with demonstrations, but initialisation.kind is ${initialisation.kind}`,
    );
  }
  if (initialisation.kind === "rejection") {
    messages.push(
      "cannot be combined with rejection fine-tuning, which generates episodes that the split does not count",
    );
  }
  if (advantageTraits[advantage.kind].reads === "greedyScore") {
    messages.push(
      `cannot be combined with ${advantage.kind} advantages, which need a greedy episode per group that the split does not count`,
    );
  }
  if (samplingTraits[sampling.kind].isOpenEnded) {
    messages.push(`cannot be combined with ${sampling.kind} sampling, which has no fixed number of episodes`);
  }
  return messages;
}
