import type { EnvironmentSpec } from "#trainer/spec/environment.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { advantageTraits } from "#trainer/spec/traits.ts";
import { judgeSettings, without, type Handling, type Handlings, type Remark } from "../handling.ts";
import { batchArguments, episodeHandlings, lengthArguments } from "./episodes.ts";
import { role, upstreamLosses, type Flavour } from "./flavour.ts";
import { methodArguments } from "./method.ts";
import { actorArguments, criticArguments, listCrashes, samplingArguments } from "./policy.ts";
import { modelOf, trainerArguments, type VerlArguments, type VerlSettings } from "./run.ts";
import { number } from "./write.ts";

const flavour: Flavour = {
  trainer: "verl",
  rows: "episodes",
  losses: upstreamLosses,
  microBatch: null,
  usualHigh: 0.2,
  countsSteps: false,
  unknownEstimators: ["aepo", "cispo", "dapo", "drgrpo", "empg", "gigpo", "gspo", "sapo", "vanilla_grpo"],
  filtersBy: null,
};

/**
 * The command line of verl's own trainer (`ppo_trainer`). Episodes are its agent loop's: data set, tools and reward
 * function are the template's business, and a plan's environment gives them the number of turns.
 */
export function upstreamArguments(spec: RunSpec, settings: VerlSettings): VerlArguments {
  const problems: Remark[] = [];
  const method = methodArguments(spec.method, flavour);
  const parts = { environment: environmentOf(spec.environment), optimizer };
  const judged = judgeSettings(spec, episodeHandlings(spec, parts));
  const crashes = listCrashes(spec, flavour);
  const model = modelOf(spec, settings, undefined);
  const { hasCritic } = advantageTraits[spec.method.advantage.kind];
  const overrides = [
    `algorithm.adv_estimator=${method.estimator}`,
    `data.train_files=${settings.dataFolder}/train.parquet`,
    `data.val_files=${settings.dataFolder}/test.parquet`,
    `data.val_max_samples=${spec.evaluation.numEpisodes}`,
    `data.max_response_length=${spec.rollout.maxResponseTokens}`,
    `data.seed=${spec.seed}`,
    ...batchArguments(spec, problems),
    `${role}.model.path=${model.path}`,
    ...actorArguments(spec, flavour),
    ...adamArguments(spec, `${role}.actor`),
    ...lossScale(spec),
    ...method.actor,
    `${role}.rollout.name=vllm`,
    `${role}.rollout.multi_turn.enable=True`,
    `${role}.rollout.multi_turn.max_assistant_turns=${spec.environment.maxTurns}`,
    `${role}.rollout.agent.default_agent_loop=${settings.agentLoop}`,
    ...samplingArguments(spec),
    `${role}.rollout.log_prob_use_dynamic_bsz=True`,
    `${role}.ref.log_prob_use_dynamic_bsz=True`,
    ...truncationArguments(spec),
    ...method.correction,
    ...(hasCritic ? [...criticArguments(spec, model.path), ...adamArguments(spec, "critic"), ...method.critic] : []),
    ...method.algorithm,
    ...method.sampling,
    ...lengthArguments(spec),
    ...trainerArguments(spec, settings),
  ];
  return {
    module: "verl.trainer.main_ppo",
    overrides,
    notes: [...judged.notes, ...method.notes, ...crashes.notes],
    problems: [...judged.problems, ...model.problems, ...method.problems, ...crashes.problems, ...problems],
  };
}

const isTemplates = "the template's data set, tools and reward function decide";

function environmentOf(environment: EnvironmentSpec): Record<string, Handling> {
  const names = Object.keys(environment).filter((name) => name !== "maxTurns");
  return { ...Object.fromEntries(names.map((name) => [name, without(isTemplates)])), maxTurns: "passed" };
}

const optimizer: Handlings["optimizer"] = {
  learningRate: "passed",
  beta1: "passed",
  beta2: "passed",
  epsilon: "passed",
  weightDecay: "passed",
  maxGradientNorm: "passed",
};

/** Older workers read `grad_clip`, newer ones `optim.clip_grad`. */
function adamArguments({ optimizer: { beta1, beta2, epsilon, maxGradientNorm } }: RunSpec, part: string): string[] {
  return [
    `${part}.optim.betas=[${beta1},${beta2}]`,
    `${part}.optim.clip_grad=${number(maxGradientNorm)}`,
    ...(epsilon === 1e-8 ? [] : [`${part}.optim.override_optimizer_config={eps:${number(epsilon)}}`]),
  ];
}

/** What a row's sum is divided by where the aggregation has a constant; else the longest row of each batch. */
function lossScale({ method, rollout }: RunSpec): string[] {
  const isScaled = method.aggregation === "seqMeanTokenSumNorm";
  return isScaled ? [`${role}.actor.loss_scale_factor=${rollout.maxResponseTokens}`] : [];
}

/** Weights of what the inference engine sampled, by the trainer's own log-probabilities. */
function truncationArguments({ update }: RunSpec): string[] {
  if (update.truncatedImportance === null) return [];
  return [
    `${role}.rollout.calculate_log_probs=True`,
    "algorithm.rollout_correction.rollout_is=token",
    `algorithm.rollout_correction.rollout_is_threshold=${number(update.truncatedImportance)}`,
  ];
}
