import { maxTurnsOf } from "#trainer/spec/environmentParts.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { advantageTraits } from "#trainer/spec/traits.ts";
import { judgeSettings, only, without, type Handling, type Remark } from "../handling.ts";
import { taskHandlings } from "../task.ts";
import type { Option } from "../template.ts";
import { batchArguments, episodeHandlings, lengthArguments } from "./episodes.ts";
import { copiedLosses, copiedModes, type Flavour, hydraText, number, python, role } from "./part.ts";
import { fixedAdamW } from "./handlings.ts";
import { methodArguments } from "./method.ts";
import { actorArguments, criticArguments, listCrashes, samplingArguments, truncationArguments } from "./policy.ts";
import { markAdded, modelOf, refuseNamed, trainerArguments, type VerlArguments, type VerlSettings } from "./run.ts";

/** Options of ARLArena's mathematics recipe that a plan may set, in addition to the specification. */
export const mathOptions: Readonly<Record<string, Option>> = {
  /** Trainer: the repository's own, or SimpleTIR's, of which the repository contains only the configuration. */
  trainer: { type: "choice", of: ["math_agent", "simpletir"], default: "math_agent" },
  /** Drops episodes with a turn that has neither a program nor an answer. */
  maskVoidTurns: { type: "flag", default: false },
  /** Drops groups whose mean reward is outside these bounds (default: 0 and 1); allowed only with oversampling. */
  accuracyLow: { type: "number" },
  accuracyHigh: { type: "number" },
  dropOverlong: { type: "flag", default: false },
  /** Time limit in seconds for a program in the interpreter. */
  sandboxSeconds: { type: "number", default: 3 },
  promptTokens: { type: "number", default: 8192 },
  /** Number of sampled episodes per evaluation task. */
  evaluationSamples: { type: "number", default: 1 },
};

const flavour: Flavour = {
  trainer: "ARLArena",
  rows: "episodes",
  losses: copiedLosses,
  ownModes: copiedModes,
  microBatch: null,
  usualHigh: 0.28,
  countsSteps: true,
  unknownEstimators: ["vanilla_grpo", "gigpo", "empg"],
  filtersBy: "oversampling",
};

/** Keys that SimpleTIR's configuration lacks and an override adds, because its code reads them with a default. */
const simpleTirLacks = ["data.seed"];

/** Tool-integrated mathematics of ARLArena. Batch rows are whole episodes with masked tool output. */
export function mathArguments(spec: RunSpec, settings: VerlSettings): VerlArguments {
  const { options } = settings;
  const isSimple = options["trainer"] === "simpletir";
  const problems: Remark[] = [];
  const method = methodArguments(spec, flavour);
  const judged = judgeSettings(
    spec,
    episodeHandlings(spec, { environment: environmentOf(spec), optimizer: fixedAdamW }),
  );
  const crashes = listCrashes(spec, flavour);
  const model = modelOf(spec, settings, undefined);
  const batch = batchArguments(spec, settings);
  const { hasCritic } = advantageTraits[spec.method.advantage.kind];
  const overrides = [
    `algorithm.adv_estimator=${method.estimator}`,
    ...dataArguments(spec, settings),
    ...batch.overrides,
    `${role}.model.path=${model.path}`,
    `${role}.model.use_remove_padding=True`,
    `${role}.model.enable_gradient_checkpointing=True`,
    ...actorArguments(spec, flavour),
    ...truncationArguments(spec, problems),
    ...method.actor,
    `${role}.rollout.name=vllm`,
    `${role}.rollout.tensor_model_parallel_size=1`,
    `${role}.rollout.gpu_memory_utilization=0.5`,
    ...samplingArguments(spec),
    // If the plan states a number of samples, that number is passed above.
    ...(spec.evaluation.samplesPerTask === undefined
      ? [`${role}.rollout.val_kwargs.n=${options["evaluationSamples"]}`]
      : []),
    ...tokenArguments(spec, settings),
    ...rewardArguments(settings, problems),
    ...(hasCritic ? [...criticArguments(spec, model.path), ...method.critic] : []),
    ...method.algorithm,
    ...method.sampling,
    ...filterArguments(spec, settings, problems),
    "agent.tool_use=True",
    `agent.max_turns=${maxTurnsOf(spec.environment)}`,
    ...(isSimple ? [] : [`agent.sandbox_run_timeout=${number(Number(options["sandboxSeconds"]))}`]),
    ...lengthArguments(spec),
    "trainer.max_actor_ckpt_to_keep=2",
    ...trainerArguments(spec, settings),
  ];
  return {
    module: isSimple ? "recipe.simpletir.main_simpletir" : "recipe.math_agent.main_math",
    overrides: markAdded(overrides, [...missing, ...(isSimple ? simpleTirLacks : [])]),
    notes: [...judged.notes, ...method.notes, ...crashes.notes],
    problems: [
      ...judged.problems,
      ...model.problems,
      ...method.problems,
      ...crashes.problems,
      ...batch.problems,
      ...problems,
    ],
  };
}

/** Keys that the trainers' code reads without a default, although the configurations of both trainers lack them. */
const missing = ["trainer.output_acc_to_file", "custom_reward_function.path", "custom_reward_function.name"];

function rewardArguments({ task }: VerlSettings, problems: Remark[]): string[] {
  const reward = task?.reward;
  if (reward === undefined) return [];
  if (reward.file === undefined) problems.push(refuseNamed(reward.name));
  return [`custom_reward_function.path=${hydraText(reward.file ?? "")}`, `custom_reward_function.name=${reward.name}`];
}

/** A custom task is solved like the recipe's problems, with a Python interpreter. */
function environmentOf(spec: RunSpec): Readonly<Record<string, Handling>> {
  if (spec.environment.id !== "custom") return environment;
  const agentLoop = only([undefined], "the recipe plays episodes itself, with a Python interpreter");
  return taskHandlings({ dataFolder: "passed", rewardFunction: "passed", agentLoop, maxTurns: "passed" });
}

const generated = without("problems are the data set's, not generated ones");

const environment = {
  id: "passed",
  families: generated,
  minLevel: generated,
  maxLevel: generated,
  maxTurns: "passed",
  feedbackTokens: "passed",
  reward: only(["sparse"], "the recipe rewards the right answer with 1 and nothing else"),
  packages: without("its sandbox has the packages of its own Python"),
} as const;

function dataArguments({ rollout, evaluation, environment: task, seed }: RunSpec, settings: VerlSettings): string[] {
  const { options } = settings;
  const folder = settings.task?.dataFolder ?? `${settings.dataFolder ?? `${settings.home}/data`}/math`;
  const promptTokens = Number(options["promptTokens"]);
  return [
    `data.train_files=${hydraText(`${folder}/train.parquet`)}`,
    `data.val_files=[${[folder, ...(settings.task?.elsewhere ?? [])].map((one) => hydraText(`${one}/test.parquet`)).join(",")}]`,
    `data.val_sample_size=${evaluation.numEpisodes}`,
    `data.max_prompt_length=${promptTokens}`,
    `data.max_response_length=${rollout.maxResponseTokens}`,
    `data.max_start_length=${Math.min(4096, promptTokens)}`,
    ...("feedbackTokens" in task ? [`data.max_obs_length=${task.feedbackTokens}`] : []),
    `data.seed=${seed}`,
    // The data are shuffled: otherwise, every seed would train on the same batches.
    "data.shuffle=True",
  ];
}

/** Returns the overrides that raise the token limit per GPU to at least the longest batch row. */
function tokenArguments({ rollout }: RunSpec, { options }: VerlSettings): string[] {
  const rowTokens = Number(options["promptTokens"]) + rollout.maxResponseTokens;
  const perGpu = Math.max(16_384, rowTokens);
  return [
    `${role}.actor.ppo_max_token_len_per_gpu=${perGpu}`,
    `${role}.rollout.log_prob_max_token_len_per_gpu=${2 * perGpu}`,
    `${role}.ref.log_prob_max_token_len_per_gpu=${2 * perGpu}`,
    `${role}.rollout.max_num_batched_tokens=${rowTokens + 1000}`,
  ];
}

function filterArguments({ method }: RunSpec, { options }: VerlSettings, problems: Remark[]): string[] {
  const { accuracyLow: low, accuracyHigh: high, maskVoidTurns, dropOverlong, trainer } = options;
  const isFiltered = low !== undefined || high !== undefined;
  const refuse = (name: string, message: string): void =>
    void problems.push({ path: `trainer.options.${name}`, message });
  if (isFiltered && method.sampling.kind !== "oversample") {
    refuse(
      "accuracyLow",
      `groups are filtered by accuracy only where more are sampled: sampling is ${method.sampling.kind}, not oversample`,
    );
  }
  if (isFiltered && !(Number(low ?? 0) < Number(high ?? 1))) {
    refuse("accuracyLow", `${low ?? 0} is not below accuracyHigh, ${high ?? 1}`);
  }
  const isSimple = trainer === "simpletir";
  if (isSimple && maskVoidTurns === true)
    refuse("maskVoidTurns", "simpletir's configuration has no mask of void turns");
  return [
    `trainer.acc_filter=${python(isFiltered)}`,
    ...(isFiltered ? [`trainer.acc_filter_low=${low ?? 0}`, `trainer.acc_filter_high=${high ?? 1}`] : []),
    `trainer.remove_clip=${python(dropOverlong === true)}`,
    ...(isSimple ? [] : [`trainer.remove_extra_void_turn=${python(maskVoidTurns === true)}`]),
    "trainer.output_acc_to_file=False",
  ];
}
