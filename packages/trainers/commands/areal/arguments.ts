import { effectiveAggregation, type Method } from "#trainer/spec/method.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { sequenceMaskOf } from "#trainer/spec/traits.ts";
import { judgeSettings, type Remark, type Remarks } from "../handling.ts";
import type { Task } from "../task.ts";
import { hydraText, number } from "../verl/part.ts";
import { arealHandlings } from "./handlings.ts";
import { proximalSettings, type Setting } from "./correction.ts";

/** `runFolder`: folder of all attempts' checkpoints; `run`: the run's name in it. */
type ArealSettings = { runFolder: string; run: string; hasCritic: boolean; task?: Task };

/**
 * Translates a specification for AReaL's PPO (commit 4aef98d and version 1.0.4). AReaL's batch rows are the results
 * of a workflow; AReaL's script defines episodes, tasks and rewards. Overrides start with `++`, which sets a key even
 * if the configuration file does not have it.
 */
export function arealArguments(spec: RunSpec, settings: ArealSettings): Remarks & { overrides: string[] } {
  const remarks = judgeSettings(spec, arealHandlings(spec));
  const all: Setting[] = [
    ...runSettings(spec, settings),
    ...rolloutSettings(spec, remarks),
    ...optimizerSettings(spec),
    ...updateSettings(spec, remarks),
    ...rewardSettings(spec),
    ...clippingSettings(spec.method, remarks),
    ...advantageSettings(spec, settings, remarks),
    ...proximalSettings(spec, remarks),
    ...evaluationSettings(spec),
    ...dataSettings(settings),
  ];
  const { kind } = spec.method.sampling;
  if (kind !== "all") {
    const message = `${kind} is refused: AReaL leaves out groups by a function of its script, not by a setting`;
    remarks.problems.push({ path: "method.sampling.kind", message });
  }
  return { overrides: all.map(([key, value]) => `++${key}=${write(value)}`), ...remarks };
}

/** Returns the settings for data. Training and held-out tasks are in one folder, as splits of one dataset. */
function dataSettings({ task }: ArealSettings): Setting[] {
  if (task?.dataFolder === undefined) return [];
  const folder = hydraText(task.dataFolder);
  return [
    ["train_dataset.path", folder],
    ["valid_dataset.path", folder],
  ];
}

/** Formats a setting's value. Integers are written without an exponent, because AReaL's integer fields reject 1e8. */
function write(value: Setting[1]): string {
  if (value === null) return "null";
  return typeof value === "number" && !Number.isInteger(value) ? number(value) : String(value);
}

/** Returns the run's settings; all its attempts share a folder, a name without separators, and recovery data. */
function runSettings({ seed, budget, execution }: RunSpec, { runFolder, run }: ArealSettings): Setting[] {
  return [
    ["seed", seed],
    ["experiment_name", "arlarena"],
    ["trial_name", run.replaceAll(/[^A-Za-z0-9]/g, "")],
    ["cluster.fileroot", `${runFolder}/files`],
    ["total_train_steps", budget.iterations],
    // Each epoch has at least one step, so this number of epochs is always enough.
    ["total_train_epochs", Math.max(1, budget.iterations)],
    ["recover.mode", execution.checkpointEvery === 0 ? "disabled" : "auto"],
    ["recover.freq_steps", execution.checkpointEvery === 0 ? null : execution.checkpointEvery],
  ];
}

function rolloutSettings({ rollout }: RunSpec, { notes }: Remarks): Setting[] {
  const { lag } = rollout;
  const oldest = lag === undefined ? 0 : lag.kind === "constant" ? lag.k : (lag.discardBeyond ?? lag.max);
  if (oldest === 0) {
    const message =
      "without a lag AReaL waits for the rollouts of every step (max_head_offpolicyness=0); its own examples let them be 2 steps old";
    notes.push({ path: "rollout.lag", message });
  } else {
    const message = `only the bound, ${oldest}, is passed: AReaL's own scheduling decides the lag within it`;
    notes.push({ path: "rollout.lag", message });
  }
  return [
    ["train_dataset.batch_size", rollout.numGroups],
    ["gconfig.n_samples", rollout.groupSize],
    ["gconfig.max_new_tokens", rollout.maxResponseTokens],
    ["gconfig.temperature", rollout.temperature],
    ["actor.temperature", rollout.temperature],
    ["actor.max_new_tokens", rollout.maxResponseTokens],
    ["rollout.max_head_offpolicyness", oldest],
  ];
}

function optimizerSettings({ optimizer }: RunSpec): Setting[] {
  return [
    ["actor.optimizer.lr", optimizer.learningRate],
    ["actor.optimizer.lr_scheduler_type", "constant"],
    ["actor.optimizer.warmup_steps_proportion", 0],
    ["actor.optimizer.beta1", optimizer.beta1],
    ["actor.optimizer.beta2", optimizer.beta2],
    ["actor.optimizer.eps", optimizer.epsilon],
    ["actor.optimizer.weight_decay", optimizer.weightDecay],
    // In the specification, 0 disables gradient clipping; in AReaL it would clip every gradient to 0.
    ["actor.optimizer.gradient_clipping", optimizer.maxGradientNorm === 0 ? 1e9 : optimizer.maxGradientNorm],
  ];
}

function updateSettings({ rollout, update }: RunSpec, { notes, problems }: Remarks): Setting[] {
  const numRows = rollout.numGroups * rollout.groupSize;
  const rows = Math.min(update.minibatchRows, numRows);
  const path = "update.minibatchRows";
  if (numRows % rows !== 0) {
    const message = `${rows} does not divide the ${numRows} rows of an iteration, which AReaL splits into equal parts`;
    problems.push({ path, message });
  }
  const count = Math.max(1, Math.floor(numRows / rows));
  if (count > 1)
    notes.push({
      path,
      message: `${rows} is only a mean: AReaL makes ${count} minibatches with about equally many tokens`,
    });
  return [["actor.ppo_n_minibatches", count], ...klSettings(update, problems)];
}

function klSettings({ klCoef, klPlacement, klEstimator }: RunSpec["update"], problems: Remark[]): Setting[] {
  if (klCoef === 0) return [["actor.kl_ctl", 0]];
  if (klPlacement === "loss") {
    problems.push({ path: "update.klPlacement", message: "loss is refused: AReaL's KL is a part of the reward" });
  }
  if (!["k1", "k2", "k3"].includes(klEstimator)) {
    problems.push({ path: "update.klEstimator", message: `${klEstimator} is refused: AReaL has k1, k2 and k3` });
  }
  return [
    ["actor.kl_ctl", klCoef],
    ["actor.kl_estimator", klEstimator],
  ];
}

function rewardSettings({ reward, rollout }: RunSpec): Setting[] {
  const { overlongPenalty, overlongBuffer } = reward;
  return [
    // Overrides the configuration file, which might scale and shift the reward function's rewards.
    ["actor.reward_scaling", 1],
    ["actor.reward_bias", 0],
    ["actor.overlong_reward_penalty", overlongPenalty > 0],
    ["actor.overlong_tokens", Math.max(1, Math.round(overlongBuffer * rollout.maxResponseTokens))],
    ["actor.overlong_penalty_factor", overlongPenalty],
  ];
}

function clippingSettings(method: Method, { notes, problems }: Remarks): Setting[] {
  const { clipping } = method;
  const aggregation = effectiveAggregation(method);
  const path = "method.aggregation";
  if (clipping.kind === "sequence") {
    const message = `${method.aggregation} is not passed: AReaL weights rows with a single ratio by their number of tokens`;
    notes.push({ path, message });
  } else if (aggregation !== "tokenMean") {
    problems.push({ path, message: `${aggregation} is refused: AReaL's is tokenMean`, instead: "tokenMean" });
  } else if (method.aggregation !== aggregation) {
    notes.push({
      path,
      message: `${method.aggregation} is not passed: this loss aggregates by ${aggregation} in the studio and in AReaL`,
    });
  }
  const mask = sequenceMaskOf(clipping);
  if (mask) {
    const message = `${mask.delta} is refused: AReaL cannot mask training rows by their drift`;
    problems.push({ path: "method.clipping.sequenceMask", message });
  }
  if (clipping.kind === "token") {
    if (clipping.twoSided !== undefined) {
      problems.push({
        path: "method.clipping.twoSided",
        message: "AReaL has no bound of the ratio besides the clip range",
      });
    }
    return rangeSettings({ level: "token", ...clipping });
  }
  if (clipping.kind === "sequence") {
    if (clipping.credit === "token") {
      problems.push({
        path: "method.clipping.credit",
        message: "AReaL gives each training row one ratio and one advantage",
      });
    }
    return rangeSettings({ level: "sequence", ...clipping, dual: null });
  }
  if (clipping.kind === "sapo") {
    return [
      ["actor.use_sapo_loss", true],
      ["actor.sapo_tau_pos", clipping.tauPositive],
      ["actor.sapo_tau_neg", clipping.tauNegative],
      ["actor.importance_sampling_level", "token"],
    ];
  }
  problems.push({ path: "method.clipping.kind", message: `AReaL has no ${clipping.kind} clipping` });
  return [];
}

type Range = { level: string; low: number; high: number; dual: number | null };

function rangeSettings({ level, low, high, dual }: Range): Setting[] {
  return [
    ["actor.use_sapo_loss", false],
    ["actor.importance_sampling_level", level],
    ["actor.eps_clip", low],
    ["actor.eps_clip_higher", high],
    ["actor.c_clip", dual],
  ];
}

function advantageSettings(spec: RunSpec, { hasCritic }: ArealSettings, { notes, problems }: Remarks): Setting[] {
  const { advantage } = spec.method;
  const norm = (settings: Record<string, string | number | boolean | null>): Setting[] =>
    Object.entries(settings).map(([key, value]) => [`actor.reward_norm.${key}`, value]);
  const group = { mean_level: "group", group_size: spec.rollout.groupSize, std_unbiased: true, eps: 1e-6 };
  const undiscounted: Setting[] = [
    ["actor.discount", 1],
    ["actor.gae_lambda", 1],
    ["actor.adv_norm", null],
  ];
  if (advantage.kind === "gae") return criticSettings(spec, { advantage, hasCritic }, problems);
  if (advantage.kind === "rloo") return [...norm({ ...group, mean_leave1out: true, std_level: null }), ...undiscounted];
  if (advantage.kind !== "group") {
    problems.push({ path: "method.advantage.kind", message: `AReaL has no ${advantage.kind} advantage` });
    return [];
  }
  if (advantage.samples === "turns") {
    const message = "turns is not passed: in AReaL, each row that the workflow returns is one sample";
    notes.push({ path: "method.advantage.samples", message });
  }
  const std = advantage.scale === "groupStd" ? "group" : null;
  return [...norm({ ...group, mean_leave1out: false, std_level: std }), ...undiscounted];
}

type Gae = Extract<Method["advantage"], { kind: "gae" }>;

/** Returns the settings of a critic, which must be in the configuration file, because overrides cannot add it. */
function criticSettings(
  { optimizer }: RunSpec,
  { advantage: gae, hasCritic }: { advantage: Gae; hasCritic: boolean },
  problems: Remark[],
): Setting[] {
  const refuse = (field: string, message: string) => void problems.push({ path: `method.advantage.${field}`, message });
  if (!hasCritic)
    refuse("kind", "gae is refused: the template does not set `critic: true`, which states that its file has a critic");
  if (gae.turns) refuse("turns", "AReaL computes advantages over tokens, not over turns");
  if (gae.criticWarmupIterations > 0)
    refuse("criticWarmupIterations", "AReaL has no critic warm-up: critic and policy train from the start");
  return [
    ["actor.discount", gae.gamma],
    ["actor.gae_lambda", gae.lambda],
    ["actor.reward_norm", null],
    ["actor.adv_norm.mean_level", "batch"],
    ["actor.adv_norm.std_level", "batch"],
    ["critic.eps_clip", gae.valueClip],
    ["critic.optimizer.lr", gae.criticLearningRate ?? 10 * optimizer.learningRate],
  ];
}

/** Returns the settings for evaluation. By default, AReaL would sample each task as often as in training. */
function evaluationSettings({ evaluation, rollout }: RunSpec): Setting[] {
  return [
    ["evaluator.freq_steps", evaluation.every],
    ["evaluator.freq_epochs", null],
    ["evaluator.eval_before_train", true],
    ["eval_gconfig.n_samples", evaluation.samplesPerTask ?? 1],
    ["eval_gconfig.max_new_tokens", rollout.maxResponseTokens],
    ["eval_gconfig.greedy", evaluation.temperature === 0],
    ["eval_gconfig.temperature", evaluation.temperature === 0 ? 1 : evaluation.temperature],
    ["eval_gconfig.top_p", evaluation.topP],
    ["eval_gconfig.top_k", evaluation.topK === 0 ? 1e8 : evaluation.topK],
  ];
}
