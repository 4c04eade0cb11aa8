import type { RunSpec } from "#trainer/spec/run.ts";
import { effectiveAggregation } from "#trainer/spec/method.ts";
import { advantageTraits, clippingTraits, sequenceMaskOf } from "#trainer/spec/traits.ts";
import type { VerlTemplate } from "./template.ts";
import { formatHyperparameter } from "#server/domain/words.ts";

/** Overrides for hydra, and what the trainer does otherwise than the specification says; or why it cannot do it. */
export type VerlArguments = { module: string; overrides: string[]; notes: string[]; problems: string[] };

type Settings = Pick<VerlTemplate, "flavour" | "models" | "gpus" | "machines" | "logger" | "project"> & {
  dataFolder: string;
  runFolder: string;
  folder: string;
  experiment: string;
};

type Recipe = {
  module: string;
  mode: "text" | "visual";
  envName: string;
  model: string | undefined;
  promptTokens: number;
  responseTokens: number;
  microBatch: number;
  offload: boolean;
  gpuMemory: number;
  enforceEager: boolean;
  freeCache: boolean;
  numCpus: number;
  valBatch: number;
  valTemperature: number;
  keep: number;
  /** Whether the loop tells dynamic sampling the step; where not, a cold start of 0 would never end. */
  countsSteps: boolean;
  extra: readonly string[];
};

/** What the published scripts of ARLArena fix by environment and our specification has no place for. */
const recipes: Readonly<Record<string, Recipe>> = {
  alfworld: {
    module: "recipe.world_agent.main_world_agent",
    mode: "text",
    envName: "alfworld/AlfredTWEnv",
    model: "UCLA-SCAI/Qwen3-4B-rft-alfworld",
    promptTokens: 2048,
    responseTokens: 512,
    microBatch: 32,
    offload: false,
    gpuMemory: 0.4,
    enforceEager: false,
    freeCache: false,
    numCpus: 0.2,
    valBatch: 128,
    valTemperature: 0.6,
    keep: 1,
    countsSteps: true,
    extra: [],
  },
  webshop: {
    module: "recipe.shop_agent.main_shop_agent",
    mode: "text",
    envName: "Webshop",
    model: "UCLA-SCAI/Qwen3-4B-rft-webshop",
    promptTokens: 4096,
    responseTokens: 512,
    microBatch: 8,
    offload: true,
    gpuMemory: 0.5,
    enforceEager: true,
    freeCache: false,
    numCpus: 0.1,
    valBatch: 256,
    valTemperature: 0.6,
    keep: 2,
    countsSteps: false,
    extra: [],
  },
  sokoban: {
    module: "recipe.game_agent.main_game_agent_ablation",
    mode: "visual",
    envName: "Sokoban",
    model: undefined,
    promptTokens: 1024,
    responseTokens: 512,
    microBatch: 16,
    offload: true,
    gpuMemory: 0.6,
    enforceEager: true,
    freeCache: true,
    numCpus: 0.2,
    valBatch: 128,
    valTemperature: 0.7,
    keep: 1,
    countsSteps: false,
    extra: ["data.image_key=images", "env.sokoban.mode=rgb_array"],
  },
};

const role = "actor_rollout_ref";

/**
 * The command line of ARLArena or verl-agent for a specification, argument by argument. Where the shipped scripts have
 * a trap, it is avoided: the KL loss is really updated, dynamic sampling really starts, DAPO and SAMPO are spelled by
 * their parts because their own names override flags or do not exist, and the entropy bonus is what the specification says.
 */
export function verlArguments(spec: RunSpec, settings: Settings): VerlArguments {
  const { flavour } = settings;
  const { environment, reward, optimizer, update } = spec;
  const notes: string[] = [];
  const problems: string[] = [];
  const recipe = recipes[environment.id];
  if (!recipe) {
    const known = Object.keys(recipes).join(", ");
    return { module: "", overrides: [], notes, problems: [`no recipe for ${environment.id} (there are ${known})`] };
  }
  const isAgent = flavour === "verlAgent";
  const model = settings.models[environment.id] ?? settings.models["default"] ?? recipe.model;
  if (model === undefined) problems.push(`the template names no model for ${environment.id}`);
  const method = methodArguments(spec, { isAgent, countsSteps: recipe.countsSteps });
  notes.push(...method.notes);
  problems.push(...method.problems);
  problems.push(...findUnsupported(spec));
  const part = { spec, settings, recipe, isAgent, hasCritic: advantageTraits[spec.method.advantage.kind].hasCritic };
  const penalty = isAgent ? `${role}.actor.` : "";
  const overrides = [
    ...method.estimator,
    ...dataArguments(part),
    `${role}.model.path=${model ?? ""}`,
    `${role}.model.use_remove_padding=True`,
    `${role}.model.enable_gradient_checkpointing=True`,
    `${role}.actor.optim.lr=${number(optimizer.learningRate)}`,
    `${role}.actor.ppo_mini_batch_size=${update.minibatchRows}`,
    `${role}.actor.ppo_micro_batch_size_per_gpu=${recipe.microBatch}`,
    `${role}.actor.entropy_coeff=${number(update.entropyCoef)}`,
    ...klArguments(spec, isAgent),
    ...method.actor,
    `${role}.actor.fsdp_config.param_offload=${python(recipe.offload)}`,
    `${role}.actor.fsdp_config.optimizer_offload=${python(recipe.offload)}`,
    ...rolloutArguments(part),
    ...(part.hasCritic ? criticArguments(spec, { model: model ?? "", microBatch: recipe.microBatch }) : []),
    `${penalty}use_invalid_action_penalty=${python(reward.invalidActionPenalty > 0)}`,
    `${penalty}invalid_action_penalty_coef=${number(reward.invalidActionPenalty)}`,
    ...method.algorithm,
    ...method.sampling,
    ...environmentArguments(part),
    ...trainerArguments(part),
  ];
  return { module: isAgent ? "verl.trainer.main_ppo" : recipe.module, overrides, notes, problems };
}

/** What neither verl nor ARLArena can do, or crashes on. */
function findUnsupported({ reward, update }: RunSpec): string[] {
  const problems: string[] = [];
  if (reward.overlongPenalty > 0)
    problems.push("the overlong penalty comes only with an estimator that overrides the tries of dynamic sampling");
  if (reward.turnPenalty > 0) problems.push("there is no penalty for every turn");
  const { klCoef, klEstimator } = update;
  if (klCoef > 0 && klTypes[klEstimator] === undefined) {
    // The configuration documents them, and the first update ends in an error.
    const name = klEstimator.replace("k1", "kl").replace("k3", "low_var_kl");
    problems.push(
      `update.klEstimator ${klEstimator} (there "${name}") crashes in verl and ARLArena: take k1, abs, k2 or k3`,
    );
  }
  return problems;
}

type Context = { spec: RunSpec; settings: Settings; recipe: Recipe; isAgent: boolean; hasCritic: boolean };

function dataArguments({ spec: { rollout }, settings, recipe, isAgent, hasCritic }: Context): string[] {
  const data = `${settings.dataFolder}${isAgent ? "/verl-agent" : ""}/${recipe.mode}`;
  return [
    `data.train_files=${data}/train.parquet`,
    `data.val_files=${data}/test.parquet`,
    // Without groups every episode is a prompt of its own.
    `data.train_batch_size=${hasCritic ? rollout.numGroups * rollout.groupSize : rollout.numGroups}`,
    `data.val_batch_size=${recipe.valBatch}`,
    `data.max_prompt_length=${recipe.promptTokens}`,
    `data.max_response_length=${recipe.responseTokens}`,
    "data.filter_overlong_prompts=True",
    "data.truncation=error",
    "data.return_raw_chat=True",
  ];
}

function rolloutArguments({ spec: { rollout }, recipe, isAgent }: Context): string[] {
  return [
    `${role}.rollout.name=vllm`,
    `${role}.rollout.mode=sync`,
    `${role}.rollout.tensor_model_parallel_size=${isAgent ? 2 : 1}`,
    `${role}.rollout.temperature=${number(rollout.temperature)}`,
    `${role}.rollout.gpu_memory_utilization=${recipe.gpuMemory}`,
    `${role}.rollout.log_prob_micro_batch_size_per_gpu=${recipe.microBatch}`,
    `${role}.rollout.enable_chunked_prefill=False`,
    `${role}.rollout.enforce_eager=${python(recipe.enforceEager)}`,
    `${role}.rollout.free_cache_engine=${python(recipe.freeCache)}`,
    `${role}.rollout.val_kwargs.do_sample=True`,
    `${role}.rollout.val_kwargs.temperature=${isAgent ? 0.4 : recipe.valTemperature}`,
    ...(isAgent ? [] : [`${role}.rollout.val_kwargs.top_p=0.95`, `${role}.rollout.val_kwargs.top_k=20`]),
    `${role}.ref.log_prob_micro_batch_size_per_gpu=${recipe.microBatch}`,
    `${role}.ref.fsdp_config.param_offload=True`,
  ];
}

function environmentArguments({ spec: { environment, rollout, seed }, recipe, hasCritic }: Context): string[] {
  return [
    `env.env_name=${recipe.envName}`,
    `env.seed=${seed}`,
    `env.max_steps=${environment.maxTurns}`,
    ...(hasCritic ? [] : [`env.rollout.n=${rollout.groupSize}`]),
    `env.resources_per_worker.num_cpus=${recipe.numCpus}`,
    ...recipe.extra,
  ];
}

function trainerArguments({ spec: { budget, evaluation, execution }, settings, recipe, isAgent }: Context): string[] {
  return [
    "trainer.critic_warmup=0",
    `trainer.logger=[${settings.logger.map((name) => `'${name}'`).join(",")}]`,
    `trainer.n_gpus_per_node=${settings.gpus}`,
    `trainer.nnodes=${settings.machines}`,
    `trainer.save_freq=${execution.checkpointEvery === 0 ? -1 : execution.checkpointEvery}`,
    `trainer.test_freq=${evaluation.every}`,
    // One step an epoch: the data set is as large as a batch.
    `trainer.total_epochs=${budget.iterations}`,
    `trainer.max_actor_ckpt_to_keep=${recipe.keep}`,
    `trainer.val_before_train=${python(isAgent)}`,
    `trainer.project_name=${settings.project}`,
    `trainer.experiment_name=${settings.experiment}`,
    // Shared by the attempts of a run, so that the next one goes on where this one stopped.
    `trainer.default_local_dir=${settings.runFolder}/checkpoints`,
    "trainer.resume_mode=auto",
    `trainer.rollout_data_dir=${settings.folder}/rollouts`,
  ];
}

type Part = {
  estimator: string[];
  actor: string[];
  algorithm: string[];
  sampling: string[];
  notes: string[];
  problems: string[];
};

const aggregations = {
  tokenMean: "token-mean",
  seqMeanTokenMean: "seq-mean-token-mean",
  seqMeanTokenSum: "seq-mean-token-sum",
  seqMeanTokenSumNorm: "seq-mean-token-sum-norm",
  tokenSum: undefined,
} as const;

function methodArguments({ method }: RunSpec, flavour: { isAgent: boolean; countsSteps: boolean }): Part {
  const part: Part = { estimator: [], actor: [], algorithm: [], sampling: [], notes: [], problems: [] };
  const { advantage, sampling } = method;
  const loss = lossOf(method.clipping.kind);
  if (loss === undefined) part.problems.push(`there is no loss for ${method.clipping.kind} clipping`);
  if (flavour.isAgent && loss !== "" && loss !== undefined) {
    part.problems.push(`verl-agent has no ${loss} loss; ARLArena has`);
  }
  const isDrGrpo = advantage.kind === "group" && advantage.scale === "none" && loss === "";
  const base = isDrGrpo ? "drgrpo" : estimatorOf(advantage, part);
  // The loss follows the estimator's name; with another estimator it is named by itself.
  const isNamedByLoss = loss !== undefined && loss !== "" && base === "grpo";
  part.estimator.push(`algorithm.adv_estimator=${isNamedByLoss ? loss : base}`);
  if (loss && !isNamedByLoss) part.actor.push(`${role}.actor.policy_loss.loss_mode=${loss}`);
  part.actor.push(...clippingArguments(method.clipping, part));
  const aggregation = aggregations[effectiveAggregation(method)];
  if (aggregation === undefined) part.problems.push("there is no sum over all tokens");
  // Where the loss fixes its own aggregation, the setting is that of KL and entropy; Dr. GRPO fixes that, too.
  const asked = method.penaltyAggregation;
  const penalties = asked === undefined ? undefined : aggregations[asked];
  const mode = loss === "gspo" ? penalties : aggregation;
  if (!isDrGrpo && mode !== undefined && mode !== "token-mean") part.actor.push(`${role}.actor.loss_agg_mode=${mode}`);
  const acting = isDrGrpo ? "seq-mean-token-sum" : mode;
  if (loss !== undefined && asked !== undefined && (penalties === undefined || penalties !== acting)) {
    part.problems.push(`KL and entropy cannot be aggregated by ${asked} beside this policy term`);
  }
  if (advantage.kind === "gae") {
    part.algorithm.push(`algorithm.gamma=${number(advantage.gamma)}`, `algorithm.lam=${number(advantage.lambda)}`);
  } else {
    part.algorithm.push(`algorithm.gamma=${number(discountOf(advantage))}`);
  }
  if (advantage.kind === "gigpo") {
    part.algorithm.push(`algorithm.gigpo.step_advantage_w=${number(advantage.stepWeight)}`);
    part.algorithm.push(`algorithm.gigpo.mode=${advantage.scale === "groupStd" ? "mean_std_norm" : "mean_norm"}`);
    if (advantage.similarity !== null) part.problems.push("states are compared as equal texts only");
  }
  part.sampling.push(...samplingArguments(sampling, flavour, part));
  return part;
}

/** Read by GiGPO, and by REINFORCE++ without a baseline; 0.95 is what the released scripts give every estimator. */
function discountOf(advantage: RunSpec["method"]["advantage"]): number {
  if (advantage.kind === "reinforcePlusPlus" && advantage.baseline === "none") return advantage.gamma ?? 1;
  return advantage.kind === "gigpo" ? advantage.gamma : 0.95;
}

/** The loss's own name; empty for the usual one, undefined where there is none. */
function lossOf(kind: RunSpec["method"]["clipping"]["kind"]): string | undefined {
  const losses: Readonly<Record<typeof kind, string | undefined>> = {
    token: "",
    sequence: "gspo",
    sapo: "sapo",
    cispo: "cispo",
    aepo: "aepo",
    geometricMean: undefined,
    clipCov: undefined,
    klCov: undefined,
  };
  return losses[kind];
}

function estimatorOf(advantage: RunSpec["method"]["advantage"], { problems }: Part): string {
  switch (advantage.kind) {
    case "group":
      if (advantage.scale === "none")
        problems.push("advantages without division by the spread come with the usual loss only");
      return advantage.samples === "episodes" ? "vanilla_grpo" : "grpo";
    case "rloo":
      return "rloo";
    case "reinforcePlusPlus":
      return advantage.baseline === "group" ? "reinforce_plus_plus_baseline" : "reinforce_plus_plus";
    case "gae":
      if (advantage.turns !== null) problems.push("there is no advantage estimation over turns first");
      return "gae";
    case "gigpo":
      return "gigpo";
    case "empg":
      return "empg";
  }
}

function clippingArguments(clipping: RunSpec["method"]["clipping"], { problems }: Part): string[] {
  const actor = `${role}.actor`;
  const ranges = "low" in clipping ? clipping : undefined;
  // A row's ratio has a range two orders of magnitude tighter than the scripts' default.
  const isSequence = clippingTraits[clipping.kind].ratio === "row";
  const low = ranges && (isSequence || ranges.low !== 0.2) ? [`${actor}.clip_ratio_low=${number(ranges.low)}`] : [];
  const high = ranges && (isSequence || ranges.high !== 0.2) ? [`${actor}.clip_ratio_high=${number(ranges.high)}`] : [];
  const soft =
    clipping.kind === "sapo"
      ? [`${actor}.tau_pos=${decimal(clipping.tauPositive)}`, `${actor}.tau_neg=${decimal(clipping.tauNegative)}`]
      : [];
  const mask = sequenceMaskOf(clipping);
  const masked = mask ? [`${actor}.use_seq_mask=True`, `${actor}.seq_mask_delta=${number(mask.delta)}`] : [];
  if ("dual" in clipping && clipping.dual === null) problems.push("the dual clip cannot be switched off");
  const dual =
    "dual" in clipping && clipping.dual !== null && clipping.dual !== 3
      ? [`${actor}.clip_ratio_c=${number(clipping.dual)}`]
      : [];
  return [...low, ...high, ...soft, ...dual, ...masked];
}

function samplingArguments(
  sampling: RunSpec["method"]["sampling"],
  { isAgent, countsSteps }: { isAgent: boolean; countsSteps: boolean },
  { notes, problems }: Part,
): string[] {
  if (sampling.kind === "all") return [];
  if (sampling.kind !== "dynamic") {
    problems.push(`there is no ${sampling.kind} sampling of groups`);
    return [];
  }
  const flags = [
    "algorithm.filter_groups.enable=True",
    `algorithm.filter_groups.max_num_gen_batches=${sampling.maxTries}`,
  ];
  if (isAgent) return flags;
  if (!countsSteps && sampling.coldStartIterations > 0) {
    notes.push("dynamic sampling starts at once: this recipe does not count steps for it");
  }
  // Where the step is never passed it stays 0, and filtering begins once it exceeds the cold start.
  return [...flags, `algorithm.filter_groups.cold_start_steps=${countsSteps ? sampling.coldStartIterations : -1}`];
}

const klTypes = {
  k1: "kl",
  abs: "abs",
  k2: "mse",
  k3: "low_var_kl",
  "k1+": undefined,
  "abs+": undefined,
  "k3+": undefined,
} as const;

function klArguments({ update }: RunSpec, isAgent: boolean): string[] {
  const { klCoef, klEstimator, klPlacement } = update;
  const isLoss = klCoef > 0 && klPlacement === "loss";
  const isReward = klCoef > 0 && klPlacement === "reward";
  const actor = `${role}.actor`;
  const loss = isLoss
    ? [
        `${actor}.use_kl_loss=True`,
        // Without it the term is logged and never differentiated.
        ...(isAgent ? [] : [`${actor}.kl_loss_update=True`]),
        `${actor}.kl_loss_coef=${number(klCoef)}`,
        `${actor}.kl_loss_type=${klTypes[klEstimator]}`,
      ]
    : [`${actor}.use_kl_loss=False`];
  const inReward = isReward
    ? [
        "algorithm.use_kl_in_reward=True",
        `algorithm.kl_penalty=${klTypes[klEstimator]}`,
        `algorithm.kl_ctrl.kl_coef=${number(klCoef)}`,
      ]
    : ["algorithm.use_kl_in_reward=False"];
  return [...loss, ...inReward];
}

function criticArguments({ method, optimizer }: RunSpec, sizes: { model: string; microBatch: number }): string[] {
  const rate = method.advantage.kind === "gae" ? method.advantage.criticLearningRate : null;
  return [
    `critic.model.path=${sizes.model}`,
    `critic.optim.lr=${number(rate ?? 10 * optimizer.learningRate)}`,
    `critic.ppo_micro_batch_size_per_gpu=${sizes.microBatch}`,
    "critic.model.use_remove_padding=True",
    "critic.model.enable_gradient_checkpointing=True",
  ];
}

/** 0.000001 as 1e-6, as scripts write it. */
function number(value: number): string {
  return formatHyperparameter(Number(value.toPrecision(12)));
}

/** Hydra takes 1 for an integer where the configuration has a float: 1.0. */
function decimal(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}

function python(flag: boolean): string {
  return flag ? "True" : "False";
}
