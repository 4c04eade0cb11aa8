import type { RunSpec } from "#trainer/spec/run.ts";
import type { Remark, Remarks } from "../handling.ts";
import { type Flavour, number, role } from "./part.ts";

export function actorArguments({ optimizer, update }: RunSpec, flavour: Flavour): string[] {
  return [
    `${role}.actor.optim.lr=${number(optimizer.learningRate)}`,
    `${role}.actor.optim.weight_decay=${number(optimizer.weightDecay)}`,
    `${role}.actor.grad_clip=${number(optimizer.maxGradientNorm)}`,
    `${role}.actor.ppo_epochs=${update.epochs}`,
    `${role}.actor.entropy_coeff=${number(update.entropyCoef)}`,
    ...klArguments(update, flavour),
  ];
}

const klTypes = {
  k1: "kl",
  abs: "abs",
  k2: "mse",
  k3: "low_var_kl",
  "k1+": "kl+",
  "abs+": "abs+",
  "k3+": "low_var_kl+",
  // The estimator `k3w` is rejected below. Its name here is never passed.
  k3w: "low_var_kl",
} as const;

function klArguments(update: RunSpec["update"], { trainer }: Flavour): string[] {
  const { klCoef, klEstimator, klPlacement, klTarget, klHorizon } = update;
  const isLoss = klCoef > 0 && klPlacement === "loss";
  const isReward = klCoef > 0 && klPlacement === "reward";
  const actor = `${role}.actor`;
  const loss = isLoss
    ? [
        `${actor}.use_kl_loss=True`,
        // Without this setting, ARLArena logs the KL term but never differentiates it.
        ...(trainer === "ARLArena" ? [`${actor}.kl_loss_update=True`] : []),
        `${actor}.kl_loss_coef=${number(klCoef)}`,
        `${actor}.kl_loss_type=${klTypes[klEstimator]}`,
      ]
    : [`${actor}.use_kl_loss=False`];
  const adaptive =
    klTarget === null
      ? []
      : [
          "algorithm.kl_ctrl.type=adaptive",
          `algorithm.kl_ctrl.target_kl=${number(klTarget)}`,
          `algorithm.kl_ctrl.horizon=${klHorizon}`,
        ];
  const inReward = isReward
    ? [
        "algorithm.use_kl_in_reward=True",
        `algorithm.kl_penalty=${klTypes[klEstimator]}`,
        `algorithm.kl_ctrl.kl_coef=${number(klCoef)}`,
        ...adaptive,
      ]
    : ["algorithm.use_kl_in_reward=False"];
  return [...loss, ...inReward];
}

/** Returns the overrides for a critic. Its default learning rate is ten times the policy's. */
export function criticArguments({ method, optimizer }: RunSpec, model: string): string[] {
  const rate = method.advantage.kind === "gae" ? method.advantage.criticLearningRate : null;
  return [
    `critic.model.path=${model}`,
    `critic.optim.lr=${number(rate ?? 10 * optimizer.learningRate)}`,
    `critic.optim.weight_decay=${number(optimizer.weightDecay)}`,
    `critic.grad_clip=${number(optimizer.maxGradientNorm)}`,
    "critic.model.use_remove_padding=True",
    "critic.model.enable_gradient_checkpointing=True",
  ];
}

export function samplingArguments({ evaluation }: RunSpec): string[] {
  const values = `${role}.rollout.val_kwargs`;
  return [
    `${values}.do_sample=${evaluation.temperature === 0 ? "False" : "True"}`,
    `${values}.temperature=${number(evaluation.temperature)}`,
    `${values}.top_p=${number(evaluation.topP)}`,
    `${values}.top_k=${evaluation.topK === 0 ? -1 : evaluation.topK}`,
    ...(evaluation.samplesPerTask === undefined ? [] : [`${values}.n=${evaluation.samplesPerTask}`]),
  ];
}

/** Returns the overrides for ARLArena's truncated importance sampling, which needs the sampler's probabilities. */
export function truncationArguments({ update, method }: RunSpec, problems: Remark[]): string[] {
  const cap = update.truncatedImportance;
  if (cap === null) return [];
  const { kind } = method.clipping;
  if (kind === "geometricMean" || kind === "clipCov" || kind === "klCov") {
    problems.push({
      path: "update.truncatedImportance",
      message: `${cap} is refused: its loss for ${kind} takes no such weights`,
    });
  }
  return [`${role}.actor.tis_imp_ratio_cap=${number(cap)}`, `${role}.rollout.calculate_log_probs=True`];
}

/** Returns notes and problems about settings that crash verl or its forks, or have another meaning there. */
export function listCrashes({ update, optimizer }: RunSpec, { trainer }: Flavour): Remarks {
  const [notes, problems]: [Remark[], Remark[]] = [[], []];
  const { klCoef, klEstimator } = update;
  if (klCoef > 0 && klEstimator === "k3w") {
    problems.push({ path: "update.klEstimator", message: "k3w is refused: its KL is not weighted by the ratio" });
  }
  if (klCoef > 0 && klEstimator.endsWith("+")) {
    // verl's configuration documents this KL estimator, although the first update with it fails.
    const path = "update.klEstimator";
    const what = `${klEstimator} (there "${klTypes[klEstimator]}") crashes in`;
    if (trainer === "verl") notes.push({ path, message: `${what} versions of verl from before April 2026` });
    else problems.push({ path, message: `${what} verl and ARLArena: take k1, abs, k2 or k3` });
  }
  if (optimizer.maxGradientNorm === 0) {
    const message =
      "0 is refused: it turns clipping off in the studio, but scales every gradient to 0 in verl; use a large limit";
    problems.push({ path: "optimizer.maxGradientNorm", message });
  }
  return { notes, problems };
}
