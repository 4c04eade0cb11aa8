import { maxTurnsOf } from "#trainer/spec/environmentParts.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { advantageTraits } from "#trainer/spec/traits.ts";
import { judgeSettings, type Remark, type Remarks } from "../handling.ts";
import { nearestMultiples } from "./divisors.ts";
import { lengthArguments } from "./episodes.ts";
import { copiedLosses, copiedModes, type Flavour, number, python, role } from "./part.ts";
import { verlHandlings } from "./handlings.ts";
import { methodArguments } from "./method.ts";
import { actorArguments, criticArguments, listCrashes, samplingArguments, truncationArguments } from "./policy.ts";
import type { Recipe } from "./recipes.ts";
import {
  machineArguments,
  markAdded,
  modelOf,
  trainerArguments,
  type VerlArguments,
  type VerlSettings,
} from "./run.ts";

/**
 * Returns the command line for the agent trainers of ARLArena or verl-agent. It avoids pitfalls of the scripts in
 * their repositories: the KL loss is differentiated, dynamic sampling starts, and the entropy bonus follows the
 * specification. DAPO and SAMPO are passed as individual settings, because their names override flags or do not
 * exist.
 */
export function agentArguments(spec: RunSpec, settings: VerlSettings, recipe: Recipe): VerlArguments {
  const isAgent = settings.flavour === "verlAgent";
  const flavour = flavourOf(recipe, isAgent);
  const method = methodArguments(spec, flavour);
  const { notes, problems } = judgeSettings(spec, verlHandlings(flavour, recipe.environment(spec.environment)));
  const crashes = listCrashes(spec, flavour);
  const model = modelOf(spec, settings, recipe.model);
  const data = agentData(spec, settings, recipe);
  const machines = { ...settings, tensorParallel: isAgent ? settings.tensorParallel : 1 };
  problems.push(...model.problems, ...method.problems, ...crashes.problems, ...data.problems);
  problems.push(...machineArguments(machines).problems, ...judgeBatches(spec, settings, recipe));
  const { hasCritic } = advantageTraits[spec.method.advantage.kind];
  const overrides = [
    `algorithm.adv_estimator=${method.estimator}`,
    ...data.overrides,
    `${role}.model.path=${model.path}`,
    `${role}.model.use_remove_padding=True`,
    `${role}.model.enable_gradient_checkpointing=True`,
    ...actorArguments(spec, flavour),
    ...updateArguments(spec, flavour, recipe),
    ...truncationArguments(spec, problems),
    ...method.actor,
    `${role}.actor.fsdp_config.param_offload=${python(recipe.offload)}`,
    `${role}.actor.fsdp_config.optimizer_offload=${python(recipe.offload)}`,
    ...rolloutArguments(spec, recipe, machines),
    ...(hasCritic
      ? [
          ...criticArguments(spec, model.path),
          `critic.ppo_micro_batch_size_per_gpu=${recipe.microBatch}`,
          ...method.critic,
        ]
      : []),
    ...penaltyArguments(spec, isAgent),
    ...method.algorithm,
    ...method.sampling,
    ...environmentArguments(spec, recipe),
    ...lengthArguments(spec),
    `trainer.max_actor_ckpt_to_keep=${recipe.keep}`,
    ...trainerArguments(spec, settings),
  ];
  return {
    module: isAgent ? "verl.trainer.main_ppo" : recipe.module,
    overrides: markAdded(overrides, recipe.added),
    ...(data.prepare && { prepare: data.prepare }),
    notes: [...notes, ...method.notes, ...crashes.notes, ...data.notes, ...noteWarmup(recipe)],
    problems,
  };
}

function flavourOf({ microBatch, countsSteps, unknownEstimators }: Recipe, isAgent: boolean): Flavour {
  return {
    trainer: isAgent ? "verl-agent" : "ARLArena",
    rows: "turns",
    losses: isAgent ? [] : copiedLosses,
    ownModes: copiedModes,
    usualHigh: 0.2,
    filtersBy: "rounds",
    microBatch,
    countsSteps,
    unknownEstimators,
  };
}

/** Checks that a micro-batch divides each GPU's share of a minibatch, in batch rows, as verl's workers require. */
function judgeBatches({ update, method }: RunSpec, { gpus, machines }: VerlSettings, { microBatch }: Recipe): Remark[] {
  const numGpus = gpus * machines;
  const perGpu = Math.floor(update.minibatchRows / numGpus);
  if (perGpu > 0 && perGpu % microBatch === 0) return [];
  const { hasCritic } = advantageTraits[method.advantage.kind];
  const rows = hasCritic ? "rows of policy and critic" : "rows";
  const message = `minibatches of ${update.minibatchRows} ${rows} are not a multiple of the recipe's ${microBatch} rows on each of ${numGpus} GPUs: take ${nearestMultiples(update.minibatchRows, numGpus * microBatch) || numGpus * microBatch}`;
  return [{ path: "update.minibatchRows", message }];
}

function noteWarmup({ warmupRatio }: Recipe): Remark[] {
  if (warmupRatio === null) return [];
  const message = `as published, the recipe raises it to this value over the first ${warmupRatio * 100} % of the steps`;
  return [{ path: "optimizer.learningRate", message }];
}

function updateArguments(spec: RunSpec, { trainer }: Flavour, { microBatch, warmupRatio }: Recipe): string[] {
  const { update, method, rollout } = spec;
  return [
    `${role}.actor.ppo_mini_batch_size=${update.minibatchRows}`,
    `${role}.actor.ppo_micro_batch_size_per_gpu=${microBatch}`,
    ...(warmupRatio === null ? [] : [`${role}.actor.optim.lr_warmup_steps_ratio=${warmupRatio}`]),
    // Dr. GRPO divides the sum over a response's tokens by this number.
    ...(method.aggregation === "seqMeanTokenSumNorm" && trainer === "ARLArena"
      ? [`${role}.actor.max_response_len_per_turn=${rollout.maxResponseTokens}`]
      : []),
  ];
}

function rolloutArguments(spec: RunSpec, recipe: Recipe, machines: VerlSettings): string[] {
  const { rollout } = spec;
  return [
    `${role}.rollout.name=vllm`,
    `${role}.rollout.mode=sync`,
    ...machineArguments(machines).overrides,
    `${role}.rollout.temperature=${number(rollout.temperature)}`,
    `${role}.rollout.gpu_memory_utilization=${recipe.gpuMemory}`,
    `${role}.rollout.log_prob_micro_batch_size_per_gpu=${recipe.microBatch}`,
    `${role}.rollout.enable_chunked_prefill=False`,
    `${role}.rollout.enforce_eager=${python(recipe.enforceEager)}`,
    `${role}.rollout.free_cache_engine=${python(recipe.freeCache)}`,
    ...samplingArguments(spec),
    `${role}.ref.log_prob_micro_batch_size_per_gpu=${recipe.microBatch}`,
    `${role}.ref.fsdp_config.param_offload=True`,
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
    `env.max_steps=${maxTurnsOf(environment)}`,
    `env.history_length=${rollout.historyLength}`,
    ...(hasCritic ? [] : [`env.rollout.n=${rollout.groupSize}`]),
    `env.resources_per_worker.num_cpus=${recipe.numCpus}`,
    ...recipe.settings(environment),
  ];
}

/** Number of rows in the geometry3k dataset, the maximum that ARLArena's script `prepare` can copy. */
const available = { train: 2101, test: 601 };

function agentData(spec: RunSpec, settings: VerlSettings, recipe: Recipe): Files & { overrides: string[] } {
  const { rollout, evaluation, method } = spec;
  // A method with a critic has no groups: every episode is a separate prompt.
  const { hasCritic } = advantageTraits[method.advantage.kind];
  const numRows = hasCritic ? rollout.numGroups * rollout.groupSize : rollout.numGroups;
  const files = filesOf({ train: numRows, test: evaluation.numEpisodes }, settings, recipe);
  return {
    ...files,
    overrides: [
      `data.train_files=${files.folder}/train.parquet`,
      `data.val_files=${files.folder}/test.parquet`,
      `data.train_batch_size=${numRows}`,
      `data.val_batch_size=${evaluation.numEpisodes}`,
      `data.max_prompt_length=${recipe.promptTokens}`,
      `data.max_response_length=${rollout.maxResponseTokens}`,
      "data.filter_overlong_prompts=True",
      `data.truncation=${recipe.truncation}`,
      "data.return_raw_chat=True",
    ],
  };
}

type Rows = { train: number; test: number };
type Files = Remarks & { folder: string; prepare?: string[] };

function filesOf(rows: Rows, settings: VerlSettings, recipe: Recipe): Files {
  const { dataFolder, folder } = settings;
  if (recipe.envName === "search") return searchFiles(dataFolder);
  const prepare = (into: string): string[] => [
    "examples.data_preprocess.prepare",
    `--mode=${recipe.mode}`,
    `--local_dir=${into}`,
    `--train_data_size=${rows.train}`,
    `--val_data_size=${rows.test}`,
  ];
  if (dataFolder === undefined) {
    return {
      folder: `${folder}/data/${recipe.mode}`,
      prepare: prepare(`${folder}/data`),
      notes: [],
      problems: [
        ...tooMany("rollout.numGroups", rows.train, available.train),
        ...tooMany("evaluation.numEpisodes", rows.test, available.test),
      ],
    };
  }
  const message = `train.parquet in ${dataFolder}/${recipe.mode} needs at least ${rows.train} rows and test.parquet exactly ${rows.test}, as \`python3 -m ${prepare(dataFolder).join(" ")}\` writes them; without dataFolder in the template each attempt writes its own`;
  return { folder: `${dataFolder}/${recipe.mode}`, notes: [{ path: "evaluation.numEpisodes", message }], problems: [] };
}

/** Returns the folder with the search recipe's questions; a problem if the template names none. */
function searchFiles(dataFolder: string | undefined): Files {
  if (dataFolder !== undefined) return { folder: dataFolder, notes: [], problems: [] };
  const message =
    "the search recipe needs questions: run `python3 -m examples.data_preprocess.preprocess_search_r1_dataset` once and name its folder as dataFolder in the template";
  return { folder: "", notes: [], problems: [{ path: "trainer.name", message }] };
}

function tooMany(path: string, count: number, limit: number): Remark[] {
  if (count <= limit) return [];
  const message = `${count} is refused: the published prepare step copies ${limit} rows at most; name a dataFolder with more in the template`;
  return [{ path, message }];
}
