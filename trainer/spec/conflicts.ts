import { spendingOf } from "./budget.ts";
import { correctionConflictsOf } from "./correctionConflicts.ts";
import { elsewhereConflictsOf, unplayable } from "./elsewhere.ts";
import { partConflictsOf } from "./partConflicts.ts";
import type { CellSpec } from "./run.ts";
import { stateConflictsOf } from "./origin.ts";
import { hasMismatch, precisionOf } from "./sampler.ts";
import { startConflictsOf } from "./start.ts";
import { advantageTraits, clippingTraits, samplingTraits } from "./traits.ts";

/** A combination of settings that is valid in the schema but has no meaning: the field, and the reason. */
export type Conflict = { path: string; message: string };

/** Maximum response tokens in the context of a built-in policy. Pretrained language models may write more. */
const mostResponseTokens = 512;

/** Combinations of settings that the trainer rejects, with reasons. They follow couplings in the papers' code. */
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
      `${sampling.kind} sampling compares the episodes of a group; a group of 1 is always uniform`,
    );
  }
  if (advantageTraits[advantage.kind].needsPeers && rollout.groupSize < 2) {
    refuse("rollout.groupSize", "leave-one-out needs another episode in the group; the group size is 1");
  }
  if (advantage.kind === "reinforcePlusPlus" && advantage.baseline === "group" && (advantage.gamma ?? 1) !== 1) {
    refuse(
      "method.advantage.gamma",
      `with the group's baseline a row has one return, its sum: a discount of ${advantage.gamma} would do nothing`,
    );
  }
  if (update.klPlacement === "reward" && changesGradientAlone(update.klEstimator)) {
    refuse("update.klEstimator", `${update.klEstimator} changes only a gradient, and a KL in the reward has none`);
  }
  if (update.klPlacement === "loss" && update.klTarget !== null) {
    refuse("update.klTarget", "the adaptive coefficient is defined for a KL in the reward; klPlacement is loss");
  }
  if (update.truncatedImportance !== null && update.oldLogProbs === "sampler" && !hasMismatch(rollout)) {
    refuse(
      "update.truncatedImportance",
      "it weighs π_old/π_sampler, which is 1 everywhere when oldLogProbs is sampler; set oldLogProbs to trainer",
    );
  }
  if (clippingTraits[clipping.kind].loss === "row" && update.denominatorRows !== null) {
    refuse(
      "update.denominatorRows",
      "the geometric mean is a mean over the minibatch's rows; micro-batch means do not apply",
    );
  }
  found.push(...policyConflictsOf(cell), ...stateConflictsOf(cell), ...startConflictsOf(cell));
  const isBuiltIn = cell.trainer === undefined && cell.policy.pretrained === undefined;
  if (isBuiltIn && rollout.maxResponseTokens > mostResponseTokens) {
    const message = `${rollout.maxResponseTokens} exceeds ${mostResponseTokens}, the most that the built-in trainer writes`;
    refuse("rollout.maxResponseTokens", message);
  }
  found.push(...correctionConflictsOf(cell), ...elsewhereConflictsOf(cell), ...partConflictsOf(cell));
  for (const message of splitConflictsOf(cell)) refuse("budget.split", message);
  const { iterations } = spendingOf(cell);
  if (advantage.kind === "gae" && iterations > 0 && advantage.criticWarmupIterations >= iterations) {
    refuse(
      "method.advantage.criticWarmupIterations",
      `the policy never learns: ${advantage.criticWarmupIterations} iterations of critic warm-up in a run of ${iterations}`,
    );
  }
  return found;
}

/** Conflicts of settings that a pretrained model overrides, and of settings that require a pretrained model. */
function policyConflictsOf({ policy, rollout }: CellSpec): Conflict[] {
  const { pretrained, contextTokens, positions, loraRank, loraAlpha, loraTargets } = policy;
  if (pretrained === undefined) {
    if (loraRank !== undefined) {
      return [{ path: "policy.loraRank", message: "adapters are for a pretrained model; a built-in policy has none" }];
    }
    const message = "the context of a built-in policy follows from its environment; it is for pretrained models";
    return contextTokens === undefined ? [] : [{ path: "policy.contextTokens", message }];
  }
  const found: Conflict[] = [];
  if (loraRank === undefined && (loraAlpha !== undefined || loraTargets !== undefined)) {
    const path = loraAlpha === undefined ? "policy.loraTargets" : "policy.loraAlpha";
    found.push({ path, message: "it says how adapters are made, and without policy.loraRank there are none" });
  }
  if (loraRank !== undefined && precisionOf(rollout) !== "float32") {
    const message = `the weights that adapters stand beside would not be rounded; sampler precision is ${precisionOf(rollout)}`;
    found.push({ path: "rollout.samplerPrecision", message });
  }
  if (positions !== null) {
    found.push({
      path: "policy.positions",
      message: `a pretrained model has its own positions; leave out ${positions}`,
    });
  }
  if (contextTokens !== undefined && contextTokens <= rollout.maxResponseTokens) {
    const message = `a context of ${contextTokens} tokens has no room for a prompt before ${rollout.maxResponseTokens} of a response`;
    found.push({ path: "policy.contextTokens", message });
  }
  return found;
}

/** True for a KL estimator that differs from another one only in its gradient, as long as the policy is unchanged. */
export function changesGradientAlone(estimator: CellSpec["update"]["klEstimator"]): boolean {
  return estimator.endsWith("+") || estimator === "k3w";
}

/** Reasons why a budget cannot be split between demonstrations and training. */
function splitConflictsOf({ method: { sampling, advantage }, budget: { split }, initialisation }: CellSpec): string[] {
  if (split === null) return [];
  const messages: string[] = [];
  if (!("numEpisodes" in initialisation) && split.demonstrationShare > 0) {
    messages.push(`a share for demonstrations needs an initialisation that uses them; it is ${initialisation.kind}`);
  }
  if (initialisation.kind === "rejection") {
    messages.push("rejection fine-tuning generates episodes itself, which the split does not count");
  }
  if (advantageTraits[advantage.kind].reads === "greedyScore") {
    messages.push(`${advantage.kind} plays a greedy episode beside every group, which the split does not count`);
  }
  if (samplingTraits[sampling.kind].isOpenEnded) {
    messages.push(`${sampling.kind} sampling generates as many episodes as it needs, so no fixed budget is split`);
  }
  return messages;
}
