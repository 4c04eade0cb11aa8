import type { RunSpec } from "#trainer/spec/run.ts";
import { advantageTraits } from "#trainer/spec/traits.ts";
import { judgeSettings, type Remark } from "../handling.ts";
import type { VerlTemplate } from "../template.ts";
import { role, type Flavour } from "./flavour.ts";
import { verlHandlings } from "./handlings.ts";
import { methodArguments } from "./method.ts";
import { recipes, type Recipe } from "./recipes.ts";
import { number, python } from "./write.ts";

/** Overrides for hydra, and what the trainer does otherwise than the specification says; or why it cannot do it. */
export type VerlArguments = { module: string; overrides: string[]; notes: Remark[]; problems: Remark[] };

/** A template, with its folders filled in for one run. */
export type VerlSettings = Pick<VerlTemplate, "flavour" | "models" | "gpus" | "machines" | "logger" | "project"> & {
  dataFolder: string;
  runFolder: string;
  folder: string;
  experiment: string;
};

/**
 * The command line of ARLArena or verl-agent for a specification, argument by argument. Where the shipped scripts have
 * a trap, it is avoided: the KL loss is really updated, dynamic sampling really starts, DAPO and SAMPO are spelled by
 * their parts because their names override flags or do not exist, and the entropy bonus is what the specification says.
 */
export function verlArguments(spec: RunSpec, settings: VerlSettings): VerlArguments {
  const { id } = spec.environment;
  const recipe: Recipe | undefined = recipes[id];
  if (!recipe) {
    const message = `no recipe for ${id} (there are ${Object.keys(recipes).join(", ")})`;
    return { module: "", overrides: [], notes: [], problems: [{ path: "environment.id", message }] };
  }
  const isAgent = settings.flavour === "verlAgent";
  const flavour: Flavour = { ...recipe, isAgent };
  const method = methodArguments(spec.method, flavour);
  const { notes, problems } = judgeSettings(spec, verlHandlings(flavour, recipe.environment));
  const model = settings.models[id] ?? settings.models["default"] ?? recipe.model;
  if (model === undefined) {
    problems.push({ path: "trainer.name", message: `the template names no model for ${id}` });
  }
  problems.push(...method.problems, ...problemsOf(spec));
  const { hasCritic } = advantageTraits[spec.method.advantage.kind];
  const overrides = [
    `algorithm.adv_estimator=${method.estimator}`,
    ...dataArguments(spec, settings, recipe),
    `${role}.model.path=${model ?? ""}`,
    `${role}.model.use_remove_padding=True`,
    `${role}.model.enable_gradient_checkpointing=True`,
    ...actorArguments(spec, flavour),
    ...method.actor,
    `${role}.actor.fsdp_config.param_offload=${python(recipe.offload)}`,
    `${role}.actor.fsdp_config.optimizer_offload=${python(recipe.offload)}`,
    ...rolloutArguments(spec, recipe, isAgent),
    ...(hasCritic ? [...criticArguments(spec, model ?? "", recipe.microBatch), ...method.critic] : []),
    ...penaltyArguments(spec, isAgent),
    ...method.algorithm,
    ...method.sampling,
    ...environmentArguments(spec, recipe),
    ...trainerArguments(spec, settings, recipe),
  ];
  const added = new Set(recipe.added);
  return {
    module: isAgent ? "verl.trainer.main_ppo" : recipe.module,
    // Hydra refuses a key that the configuration lacks, unless it is added.
    overrides: overrides.map((one) => (added.has(one.slice(0, one.indexOf("="))) ? `+${one}` : one)),
    notes: [...notes, ...method.notes],
    problems,
  };
}

function problemsOf({ update, optimizer }: RunSpec): Remark[] {
  const found: Remark[] = [];
  const { klCoef, klEstimator } = update;
  if (klCoef > 0 && klTypes[klEstimator] === undefined) {
    // The configuration documents them, and the first update ends in an error.
    const name = klEstimator.replace("k1", "kl").replace("k3", "low_var_kl");
    const message = `${klEstimator} (there "${name}") crashes in verl and ARLArena: take k1, abs, k2 or k3`;
    found.push({ path: "update.klEstimator", message });
  }
  if (optimizer.maxGradientNorm === 0) {
    const message =
      "0 is refused: it switches clipping off here and would scale every gradient to nothing there: take a large limit";
    found.push({ path: "optimizer.maxGradientNorm", message });
  }
  return found;
}

function dataArguments(spec: RunSpec, { dataFolder, flavour }: VerlSettings, recipe: Recipe): string[] {
  const { rollout, evaluation } = spec;
  const data = `${dataFolder}${flavour === "verlAgent" ? "/verl-agent" : ""}/${recipe.mode}`;
  // Without groups every episode is a prompt of its own.
  const { hasCritic } = advantageTraits[spec.method.advantage.kind];
  return [
    `data.train_files=${data}/train.parquet`,
    `data.val_files=${data}/test.parquet`,
    `data.train_batch_size=${hasCritic ? rollout.numGroups * rollout.groupSize : rollout.numGroups}`,
    `data.val_batch_size=${evaluation.numEpisodes}`,
    `data.max_prompt_length=${recipe.promptTokens}`,
    `data.max_response_length=${rollout.maxResponseTokens}`,
    "data.filter_overlong_prompts=True",
    "data.truncation=error",
    "data.return_raw_chat=True",
  ];
}

function actorArguments(spec: RunSpec, { isAgent, microBatch }: Flavour): string[] {
  const { optimizer, update } = spec;
  const truncated = update.truncatedImportance;
  return [
    `${role}.actor.optim.lr=${number(optimizer.learningRate)}`,
    `${role}.actor.optim.weight_decay=${number(optimizer.weightDecay)}`,
    `${role}.actor.grad_clip=${number(optimizer.maxGradientNorm)}`,
    `${role}.actor.ppo_epochs=${update.epochs}`,
    `${role}.actor.ppo_mini_batch_size=${update.minibatchRows}`,
    `${role}.actor.ppo_micro_batch_size_per_gpu=${microBatch}`,
    `${role}.actor.entropy_coeff=${number(update.entropyCoef)}`,
    ...klArguments(spec, isAgent),
    // What Dr. GRPO divides a row's sum by.
    ...(spec.method.aggregation === "seqMeanTokenSumNorm" && !isAgent
      ? [`${role}.actor.max_response_len_per_turn=${spec.rollout.maxResponseTokens}`]
      : []),
    // The sampler's log-probabilities come back only where somebody asks for them.
    ...(truncated === null
      ? []
      : [`${role}.actor.tis_imp_ratio_cap=${number(truncated)}`, `${role}.rollout.calculate_log_probs=True`]),
  ];
}

function rolloutArguments({ rollout, evaluation }: RunSpec, recipe: Recipe, isAgent: boolean): string[] {
  const isGreedy = evaluation.temperature === 0;
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
    `${role}.rollout.val_kwargs.do_sample=${python(!isGreedy)}`,
    `${role}.rollout.val_kwargs.temperature=${number(evaluation.temperature)}`,
    `${role}.rollout.val_kwargs.top_p=${number(evaluation.topP)}`,
    `${role}.rollout.val_kwargs.top_k=${evaluation.topK === 0 ? -1 : evaluation.topK}`,
    `${role}.ref.log_prob_micro_batch_size_per_gpu=${recipe.microBatch}`,
    `${role}.ref.fsdp_config.param_offload=True`,
  ];
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
  const { klCoef, klEstimator, klPlacement, klTarget, klHorizon } = update;
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

function criticArguments({ method, optimizer }: RunSpec, model: string, microBatch: number): string[] {
  const rate = method.advantage.kind === "gae" ? method.advantage.criticLearningRate : null;
  return [
    `critic.model.path=${model}`,
    `critic.optim.lr=${number(rate ?? 10 * optimizer.learningRate)}`,
    `critic.optim.weight_decay=${number(optimizer.weightDecay)}`,
    `critic.grad_clip=${number(optimizer.maxGradientNorm)}`,
    `critic.ppo_micro_batch_size_per_gpu=${microBatch}`,
    "critic.model.use_remove_padding=True",
    "critic.model.enable_gradient_checkpointing=True",
  ];
}

function penaltyArguments({ reward }: RunSpec, isAgent: boolean): string[] {
  const section = isAgent ? `${role}.actor.` : "";
  return [
    `${section}use_invalid_action_penalty=${python(reward.invalidActionPenalty > 0)}`,
    `${section}invalid_action_penalty_coef=${number(reward.invalidActionPenalty)}`,
  ];
}

function environmentArguments({ environment, rollout, method, seed }: RunSpec, recipe: Recipe): string[] {
  const { hasCritic } = advantageTraits[method.advantage.kind];
  return [
    `env.env_name=${recipe.envName}`,
    `env.seed=${seed}`,
    `env.max_steps=${environment.maxTurns}`,
    `env.history_length=${rollout.historyLength}`,
    ...(hasCritic ? [] : [`env.rollout.n=${rollout.groupSize}`]),
    `env.resources_per_worker.num_cpus=${recipe.numCpus}`,
    ...recipe.settings(environment),
  ];
}

function trainerArguments(spec: RunSpec, settings: VerlSettings, recipe: Recipe): string[] {
  const { advantage } = spec.method;
  const { checkpointEvery } = spec.execution;
  return [
    `trainer.critic_warmup=${advantage.kind === "gae" ? advantage.criticWarmupIterations : 0}`,
    `trainer.logger=[${settings.logger.map((name) => `'${name}'`).join(",")}]`,
    `trainer.n_gpus_per_node=${settings.gpus}`,
    `trainer.nnodes=${settings.machines}`,
    `trainer.save_freq=${checkpointEvery === 0 ? -1 : checkpointEvery}`,
    `trainer.test_freq=${spec.evaluation.every}`,
    // One step an epoch: the data set is as large as a batch.
    `trainer.total_epochs=${spec.budget.iterations}`,
    `trainer.max_actor_ckpt_to_keep=${recipe.keep}`,
    // Tables begin with what the policy could before training.
    "trainer.val_before_train=True",
    `trainer.project_name=${settings.project}`,
    `trainer.experiment_name=${settings.experiment}`,
    // Shared by the attempts of a run, so that the next one goes on where this one stopped.
    `trainer.default_local_dir=${settings.runFolder}/checkpoints`,
    "trainer.resume_mode=auto",
    `trainer.rollout_data_dir=${settings.folder}/rollouts`,
  ];
}
