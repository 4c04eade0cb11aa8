import type { EnvironmentSpec } from "#trainer/spec/environment.ts";
import { maxTurnsOf } from "#trainer/spec/environmentParts.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { advantageTraits } from "#trainer/spec/traits.ts";
import {
  without,
  judgeSettings,
  type Handling,
  type Handlings,
  type Remark,
  type Remarks,
  passedAdamW,
} from "../handling.ts";
import { taskHandlings } from "../task.ts";
import { batchArguments, episodeHandlings, lengthArguments } from "./episodes.ts";
import { type Flavour, hydraText, number, role } from "./part.ts";
import { methodArguments } from "./method.ts";
import { actorArguments, criticArguments, listCrashes, samplingArguments } from "./policy.ts";
import { describeTooOld, type Facts, releaseOf, type VerlRelease } from "./releases.ts";
import {
  keptCheckpoints,
  machineArguments,
  modelOf,
  refuseNamed,
  trainerArguments,
  type VerlArguments,
  type VerlSettings,
} from "./run.ts";

type Released = { release: VerlRelease; facts: Facts };

function flavourOf({ losses, ownModes, filtersBy }: Facts): Flavour {
  return {
    trainer: "verl",
    rows: "episodes",
    losses,
    ownModes,
    microBatch: null,
    usualHigh: 0.2,
    countsSteps: false,
    unknownEstimators: ["aepo", "cispo", "dapo", "drgrpo", "empg", "gigpo", "gspo", "sapo", "vanilla_grpo"],
    filtersBy: filtersBy === null ? null : "refill",
    filterMetric: filtersBy,
  };
}

/**
 * Returns the command line of verl's own trainer (`ppo_trainer`). Its agent loop samples the episodes: the template
 * defines dataset, tools and reward function, and a plan's environment sets the number of turns.
 */
export function upstreamArguments(spec: RunSpec, settings: VerlSettings): VerlArguments {
  const { release, facts, doubt } = releaseOf(settings.version);
  const flavour = flavourOf(facts);
  const method = methodArguments(spec, flavour);
  const judged = judgeSettings(spec, handlingsOf(spec));
  const kept = keptCheckpoints(spec, settings);
  const crashes = listCrashes(spec, flavour);
  const model = modelOf(spec, settings, undefined);
  const batch = batchArguments(spec, settings);
  const machines = machineArguments(settings);
  const tooOld = describeTooOld(settings.version ?? "");
  const problems: Remark[] = [
    ...(tooOld === undefined ? [] : [{ path: "trainer.name", message: tooOld }]),
    ...judgeCorrection(spec.method, { release, facts }),
  ];
  const loop = loopArguments(spec, settings);
  const legacy = legacyArguments(spec.method, { release, facts });
  const { hasCritic } = advantageTraits[spec.method.advantage.kind];
  const overrides = [
    `algorithm.adv_estimator=${method.estimator}`,
    ...dataArguments(spec, settings),
    ...batch.overrides,
    `${role}.model.path=${model.path}`,
    ...actorArguments(spec, flavour),
    ...adamArguments(spec, `${role}.actor`),
    ...lossScale(spec),
    ...method.actor,
    `${role}.rollout.name=vllm`,
    ...machines.overrides,
    ...loop.overrides,
    ...rewardArguments(settings, facts, problems),
    ...samplingArguments(spec),
    `${role}.rollout.log_prob_use_dynamic_bsz=True`,
    `${role}.ref.log_prob_use_dynamic_bsz=True`,
    ...tokenArguments(spec, settings, hasCritic),
    ...truncationArguments(spec),
    ...method.correction,
    ...(hasCritic ? [...criticArguments(spec, model.path), ...adamArguments(spec, "critic"), ...method.critic] : []),
    ...method.algorithm,
    ...method.sampling,
    ...lengthArguments(spec),
    ...kept.overrides,
    ...legacy.overrides,
    ...trainerArguments(spec, settings),
  ];
  const doubts = doubt === undefined ? [] : [{ path: "trainer.name", message: doubt }];
  return {
    module: "verl.trainer.main_ppo",
    overrides,
    notes: [judged, method, crashes, { notes: noteMeanings(spec) }, { notes: doubts }, legacy, kept].flatMap(
      ({ notes }) => notes,
    ),
    problems: [judged, model, method, crashes, batch, machines, legacy, loop, kept, { problems }].flatMap(
      (part) => part.problems,
    ),
  };
}

function handlingsOf(spec: RunSpec): Handlings {
  const parts = { environment: environmentOf(spec.environment), optimizer: passedAdamW };
  const handlings = episodeHandlings(spec, parts);
  return { ...handlings, execution: { ...handlings.execution, keep: "passed" } };
}

/** Returns the overrides for sampling episodes: by an agent loop or, without one, as a single response. */
function loopArguments(
  { environment }: RunSpec,
  { agentLoop, task }: VerlSettings,
): { overrides: string[]; problems: Remark[] } {
  const loop = environment.id === "custom" ? task?.agentLoop : agentLoop;
  const maxTurns = maxTurnsOf(environment);
  if (loop !== undefined) {
    return {
      overrides: [
        `${role}.rollout.multi_turn.enable=True`,
        `${role}.rollout.multi_turn.max_assistant_turns=${maxTurns}`,
        `${role}.rollout.agent.default_agent_loop=${hydraText(loop)}`,
      ],
      problems: [],
    };
  }
  const message = `${maxTurns} is refused: without an agentLoop an episode is one response; name one, as tool_agent`;
  return {
    overrides: [
      `${role}.rollout.multi_turn.enable=False`,
      `${role}.rollout.agent.default_agent_loop=single_turn_agent`,
    ],
    problems: maxTurns > 1 ? [{ path: "environment.maxTurns", message }] : [],
  };
}

function rewardArguments({ task }: VerlSettings, { rewardSection }: Facts, problems: Remark[]): string[] {
  const reward = task?.reward;
  if (reward === undefined) return [];
  if (reward.file === undefined) problems.push(refuseNamed(reward.name));
  return [`${rewardSection}.path=${hydraText(reward.file ?? "")}`, `${rewardSection}.name=${reward.name}`];
}

/** Held-out tasks as a Hydra value: the run's own file, or a list with those of tasks elsewhere. */
function validationFiles(folder: string, { task }: VerlSettings): string {
  const files = [folder, ...(task?.elsewhere ?? [])].map((one) => hydraText(`${one}/test.parquet`));
  return files.length === 1 ? files.join() : `[${files.join(",")}]`;
}

/** Returns the overrides for the data. Prompts above the token limit are dropped before training. */
function dataArguments({ rollout, seed }: RunSpec, settings: VerlSettings): string[] {
  const folder = settings.task?.dataFolder ?? settings.dataFolder ?? `${settings.home}/data`;
  return [
    `data.train_files=${hydraText(`${folder}/train.parquet`)}`,
    `data.val_files=${validationFiles(folder, settings)}`,
    // If the number of tasks were set, verl would sample them by data.seed, and they would differ between seeds.
    "data.val_max_samples=-1",
    `data.max_prompt_length=${settings.promptTokens}`,
    "data.filter_overlong_prompts=True",
    `data.max_response_length=${rollout.maxResponseTokens}`,
    `data.seed=${seed}`,
  ];
}

/** verl's default token limits per GPU and pass; it fails if a single batch row exceeds its limit. */
const usualTokens = { policy: 16_384, critic: 32_768 };

function tokenArguments({ rollout }: RunSpec, { promptTokens }: VerlSettings, hasCritic: boolean): string[] {
  const rowTokens = promptTokens + rollout.maxResponseTokens;
  return [
    ...(rowTokens > usualTokens.policy ? [`${role}.actor.ppo_max_token_len_per_gpu=${rowTokens}`] : []),
    ...(hasCritic && rowTokens > usualTokens.critic ? [`critic.ppo_max_token_len_per_gpu=${rowTokens}`] : []),
  ];
}

/** Returns the override that selects a release's older trainer, for methods that only the older trainer supports. */
function legacyArguments(
  { advantage, clipping, correction, sampling }: RunSpec["method"],
  { release, facts }: Released,
): Remarks & { overrides: string[] } {
  const isBypass = correction?.proximal === "sampler";
  // The default trainer's bypass replaces the old log-probabilities and calls the usual loss: a clip range around the
  // sampler. The older trainer's bypass has a loss of its own, which also weighs (score clipping) and rejects tokens.
  const isLost = isBypass && (clipping.kind === "score" || correction.reject.length > 0);
  if (!facts.hasV1 || !(advantage.kind === "remax" || isLost)) {
    return { overrides: [], notes: [], problems: [] };
  }
  const path = isLost ? "method.correction" : "method.advantage.kind";
  const missing = isLost ? "no policy gradient or rejections around the sampler" : "no greedy baseline for ReMax";
  const message = `verl ${release}'s default trainer has ${missing}: its older trainer is used (trainer.use_v1=False)`;
  const isFiltered = sampling.kind === "dynamic";
  return {
    overrides: ["trainer.use_v1=False"],
    notes: isFiltered ? [] : [{ path, message }],
    problems: isFiltered
      ? [{ path: "method.sampling.kind", message: `dynamic sampling is refused: ${message}, which has none` }]
      : [],
  };
}

/** Rejects weights and rejections that the release lacks. */
function judgeCorrection({ correction }: RunSpec["method"], { release, facts }: Released): Remark[] {
  const problems: Remark[] = [];
  if (correction?.weight?.kind === "zero" && !facts.boundsBelow) {
    const message = `zero is refused: verl ${release} has only an upper bound for weights; verl 0.8.0 has both bounds`;
    problems.push({ path: "method.correction.weight.kind", message });
  }
  if (correction && correction.reject.length > 0 && !facts.namesRejections) {
    const message = `verl ${release} has no rejections by statistic and level; verl 0.7.1 has`;
    problems.push({ path: "method.correction.reject", message });
  }
  return problems;
}

function noteMeanings({ rollout, environment, evaluation, method, update }: RunSpec): Remark[] {
  const tasks = `${evaluation.numEpisodes} is not passed: every task of test.parquet is evaluated, since verl would draw other ones for every seed`;
  const episode = `${rollout.maxResponseTokens} limits all responses of an episode together, with the tools' answers; here it limits one response`;
  const numRejections = method.correction?.reject.length ?? 0;
  const kl = "rejected tokens are also left out of verl's KL in the loss; here the KL includes them";
  return [
    ...(numRejections > 0 && update.klCoef > 0 && update.klPlacement === "loss"
      ? [{ path: "method.correction.reject", message: kl }]
      : []),
    { path: "evaluation.numEpisodes", message: tasks },
    ...(maxTurnsOf(environment) > 1 ? [{ path: "rollout.maxResponseTokens", message: episode }] : []),
  ];
}

const isTemplates = "the template's data set, tools and reward function decide";

function environmentOf(environment: EnvironmentSpec): Record<string, Handling> {
  if (environment.id === "custom") {
    const part = "passed";
    return taskHandlings({ dataFolder: part, rewardFunction: part, agentLoop: part, maxTurns: part });
  }
  const names = Object.keys(environment).filter((name) => name !== "maxTurns");
  return { ...Object.fromEntries(names.map((name) => [name, without(isTemplates)])), maxTurns: "passed" };
}

/** The gradient limit is `optim.clip_grad` in newer workers and `grad_clip` in older ones. */
function adamArguments({ optimizer: { beta1, beta2, epsilon, maxGradientNorm } }: RunSpec, part: string): string[] {
  return [
    `${part}.optim.betas=[${beta1},${beta2}]`,
    `${part}.optim.clip_grad=${number(maxGradientNorm)}`,
    ...(epsilon === 1e-8 ? [] : [`${part}.optim.override_optimizer_config={eps:${number(epsilon)}}`]),
  ];
}

/** Divisor of a response's summed losses, if any; otherwise verl uses the longest response of each batch. */
function lossScale({ method, rollout }: RunSpec): string[] {
  const isScaled = method.aggregation === "seqMeanTokenSumNorm";
  return isScaled ? [`${role}.actor.loss_scale_factor=${rollout.maxResponseTokens}`] : [];
}

function truncationArguments({ update }: RunSpec): string[] {
  if (update.truncatedImportance === null) return [];
  return [
    `${role}.rollout.calculate_log_probs=True`,
    "algorithm.rollout_correction.rollout_is=token",
    `algorithm.rollout_correction.rollout_is_threshold=${number(update.truncatedImportance)}`,
  ];
}
