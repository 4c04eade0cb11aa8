/** One logged quantity: what it is called, measured in, and means. Feeds tooltips, table headers, exports and imports. */
export type Metric = {
  title: string;
  unit:
    | ""
    | "nats"
    | "nats/token"
    | "tokens"
    | "turns"
    | "fraction"
    | "ms"
    | "tokens/s"
    | "rows"
    | "steps"
    | "reward"
    | "MB";
  /** Which way is better; `none` where neither is. */
  better: "up" | "down" | "none";
  /** How values of one iteration are made, in the terms of the papers. */
  meaning: string;
  /** Keys under which other trainers log the same quantity. */
  verl?: readonly string[];
  trl?: readonly string[];
};

const fraction = (title: string, better: Metric["better"], meaning: string) =>
  ({ title, unit: "fraction", better, meaning }) as const;
const timing = (title: string, meaning: string, verl: readonly string[] = []) =>
  ({ title, unit: "ms", better: "down", meaning, verl }) as const;

/**
 * The strata of ARLArena Fig. 4: sign of the advantage × ratio above or below 1 × entropy of the old policy at least or
 * below the iteration's median.
 */
export const strata = [
  "positiveAboveHigh",
  "positiveAboveLow",
  "positiveBelowHigh",
  "positiveBelowLow",
  "negativeAboveHigh",
  "negativeAboveLow",
  "negativeBelowHigh",
  "negativeBelowLow",
] as const;
export type Stratum = (typeof strata)[number];

/** Turn numbers that get one curve each; later ones share. */
export const turnBins = ["1", "2", "3", "4", "5", "6", "7", "8", "9-12", "13-16", "17-32", "33+"] as const;

function byStratum<Group extends string>(group: Group, title: string, meaning: string) {
  return keyed(group, strata, (stratum) => {
    const [sign = "", ratio = "", entropy = ""] = stratum.split(/(?=[A-Z])/);
    const words = `A ${sign === "positive" ? ">" : "<"} 0, ratio ${ratio === "Above" ? "≥" : "<"} 1, entropy ${entropy.toLowerCase()}`;
    return fraction(`${title}: ${words}`, "none", `${meaning} with ${words}.`);
  });
}

function byTurn<Group extends string>(group: Group, title: string, meaning: string) {
  return keyed(group, turnBins, (bin) => ({
    title: `${title}, turn ${bin}`,
    unit: "nats/token" as const,
    better: "none" as const,
    meaning: `${meaning} in turn ${bin} of an episode.`,
  }));
}

function keyed<Group extends string, Name extends string>(
  group: Group,
  names: readonly Name[],
  make: (name: Name) => Metric,
): Record<`${Group}/${Name}`, Metric> {
  return Object.fromEntries(names.map((name) => [`${group}/${name}`, make(name)])) as Record<
    `${Group}/${Name}`,
    Metric
  >;
}

/** The catalogue. Keys are `group/name`; a mean over mini-batches is weighted by their tokens unless its description differs. */
export const metrics = {
  "rollout/successRate": {
    ...fraction(
      "Success rate (training)",
      "up",
      "Share of this iteration's episodes that solved their task, before any filtering.",
    ),
    verl: ["episode/success_rate"],
  },
  "rollout/returnMean": {
    title: "Return (training)",
    unit: "reward",
    better: "up",
    meaning: "Mean undiscounted episode reward, without the invalid-action penalty.",
    verl: ["episode/reward/mean", "episode/reward_mean", "critic/score/mean", "critic/score_mean"],
    trl: ["reward"],
  },
  "rollout/score": {
    ...fraction("Score (training)", "up", "Mean native score of the environment at the end of an episode, in [0, 1]."),
    verl: ["episode/task_score"],
  },
  "rollout/validFormatRate": {
    ...fraction("Valid format", "up", "Share of turns whose response is one <think> and one <action> block."),
    verl: ["episode/valid_response_format_ratio"],
  },
  "rollout/validActionRate": {
    ...fraction(
      "Valid actions",
      "up",
      "Share of turns whose response has valid format and names an action the environment knows.",
    ),
    verl: ["episode/valid_action_ratio"],
  },
  "rollout/responseTokens": {
    title: "Response length",
    unit: "tokens",
    better: "none",
    meaning: "Mean number of tokens the policy wrote per turn, the end token included.",
    verl: ["response_length/mean", "response_length_mean"],
    trl: ["completions/mean_length"],
  },
  "rollout/truncatedFraction": {
    ...fraction("Cut responses", "down", "Share of responses that reached the length limit without an end token."),
    verl: ["response_length/clip_ratio", "response_length_clip_ratio"],
    trl: ["completions/clipped_ratio"],
  },
  "rollout/episodeTurns": {
    title: "Episode length",
    unit: "turns",
    better: "none",
    meaning: "Mean number of turns per episode.",
    verl: ["episode/length/mean", "episode/length_mean"],
  },
  "rollout/numRows": {
    title: "Rows",
    unit: "rows",
    better: "none",
    meaning: "Turns in this iteration's batch, after filtering.",
  },
  "group/zeroVarianceFraction": {
    ...fraction(
      "Groups without signal",
      "down",
      "Share of groups whose episodes all got the same reward, before filtering.",
    ),
    trl: ["frac_reward_zero_std"],
  },
  "group/returnStd": {
    title: "Return spread in a group",
    unit: "reward",
    better: "none",
    meaning: "Mean over groups of the standard deviation of episode rewards.",
    verl: ["rollout/in_group_std", "rollout/in_group_reward_std"],
    trl: ["reward_std"],
  },
  "group/filteredFraction": fraction(
    "Groups filtered out",
    "none",
    "Share of generated groups that dynamic sampling discarded.",
  ),
  "group/numTries": {
    title: "Generation tries",
    unit: "",
    better: "down",
    meaning: "Rounds of fresh tasks that dynamic sampling needed.",
  },
  "advantage/absMean": {
    title: "|Advantage|",
    unit: "",
    better: "none",
    meaning: "Mean absolute advantage over rows.",
  },
  "loss/total": {
    title: "Loss",
    unit: "",
    better: "none",
    meaning: "Policy loss + KL penalty − entropy bonus, mean over mini-batches.",
    trl: ["loss"],
    verl: ["actor/loss"],
  },
  "loss/policy": {
    title: "Policy loss",
    unit: "",
    better: "none",
    meaning: "The clipped surrogate as aggregated by the method.",
    verl: ["actor/pg_loss"],
    trl: ["policy_loss"],
  },
  "loss/kl": {
    title: "KL penalty",
    unit: "",
    better: "down",
    meaning: "KL coefficient × aggregated KL estimate to the reference policy; 0 when the KL is in the reward.",
  },
  "loss/entropy": {
    title: "Entropy bonus",
    unit: "",
    better: "none",
    meaning: "Entropy coefficient × aggregated token entropy; subtracted from the loss.",
  },
  "policy/klReference": {
    title: "KL to reference",
    unit: "nats/token",
    better: "down",
    meaning: "k3 estimate, e^z − z − 1 with z = log π_ref − log π, mean over response tokens of every mini-batch.",
    verl: ["actor/kl_loss"],
    trl: ["kl"],
  },
  "policy/klOld": {
    title: "KL old → new",
    unit: "nats/token",
    better: "down",
    meaning: "k1 estimate, mean of log π_old − log π over response tokens; can be negative.",
    verl: ["actor/ppo_kl"],
  },
  "policy/entropy": {
    title: "Entropy",
    unit: "nats/token",
    better: "none",
    meaning: "Mean token entropy of the policy that wrote the rollouts.",
    verl: ["actor/entropy", "actor/entropy_loss"],
    trl: ["entropy"],
  },
  "policy/clipFraction": {
    ...fraction(
      "Clip fraction",
      "none",
      "Share of response tokens whose ratio is bounded by the method. Scales differ between methods.",
    ),
    verl: ["actor/pg_clipfrac"],
    trl: ["clip_ratio/region_mean", "cispo_clip_ratio"],
  },
  "policy/clipFractionHigh": {
    ...fraction("Clipped above", "none", "Share of response tokens with ratio above 1 + high."),
    trl: ["clip_ratio/high_mean"],
  },
  "policy/clipFractionLow": {
    ...fraction("Clipped below", "none", "Share of response tokens with ratio below 1 − low."),
    trl: ["clip_ratio/low_mean"],
  },
  "policy/clipFractionDual": {
    ...fraction("Dual-clipped", "none", "Share of response tokens with negative advantage bounded by the dual clip."),
    verl: ["actor/pg_clipfrac_lower"],
  },
  "policy/ratioMean": {
    title: "Ratio, mean",
    unit: "",
    better: "none",
    meaning: "Mean of π/π_old over response tokens of every mini-batch.",
  },
  "policy/ratioMin": {
    title: "Ratio, minimum",
    unit: "",
    better: "none",
    meaning: "Smallest π/π_old of the iteration.",
  },
  "policy/ratioMax": {
    title: "Ratio, maximum",
    unit: "",
    better: "none",
    meaning: "Largest π/π_old of the iteration; the log-ratio is held within ±20.",
  },
  "policy/maskedRowFraction": {
    ...fraction("Rows masked", "none", "Share of rows that sequence masking dropped."),
  },
  "policy/effectiveSampleFraction": {
    ...fraction("Effective sample share", "up", "(Σw)² / (n·Σw²) of the ratios of all response tokens: 1 on policy."),
  },
  "policy/samplerMismatch": {
    title: "Sampler mismatch",
    unit: "nats/token",
    better: "down",
    meaning:
      "Mean |log π_old − log π_sampler|: the rounding between training and sampling, where old log-probabilities are the trainer's.",
    verl: ["training/rollout_probs_diff_mean"],
    trl: ["sampling/sampling_logp_difference/mean"],
  },
  "policy/samplerKl": {
    title: "Sampler KL",
    unit: "nats/token",
    better: "down",
    meaning: "KL of the sampler to the trainer's old policy, as trainers with a separate inference engine log it.",
    verl: ["rollout_corr/kl"],
  },
  "policy/samplerChiSquared": {
    title: "Sampler χ²",
    unit: "",
    better: "down",
    meaning: "χ² divergence of the old policy to the sampler over tokens: mean squared ratio − 1.",
    verl: ["rollout_corr/chi2_token"],
  },
  "policy/samplerRatioMean": {
    title: "Sampler ratio, mean",
    unit: "",
    better: "none",
    meaning: "Mean of π_old/π_sampler: 1 where both agree.",
    verl: ["rollout_corr/rollout_is_mean"],
    trl: ["sampling/importance_sampling_ratio/mean"],
  },
  "policy/samplerRatioStd": {
    title: "Sampler ratio, spread",
    unit: "",
    better: "down",
    meaning: "Standard deviation of π_old/π_sampler.",
    verl: ["rollout_corr/rollout_is_std"],
  },
  "policy/samplerEffectiveSampleFraction": {
    ...fraction("Sampler effective sample share", "up", "(Σw)² / (n·Σw²) of π_old/π_sampler: 1 where both agree."),
    verl: ["rollout_corr/rollout_is_eff_sample_size"],
  },
  "policy/truncatedImportanceFraction": fraction(
    "Importance weights truncated",
    "down",
    "Share of response tokens whose π_old/π_sampler was cut at its cap.",
  ),
  ...byStratum("strataTokens", "Share of tokens", "Share of response tokens"),
  ...byStratum("strataOutOfRange", "Share of out-of-range tokens", "Share of the tokens outside the clip range"),
  ...byStratum("strataKl", "Share of KL", "Share of the KL to the reference that falls on tokens"),
  ...byTurn("turnKl", "KL to reference", "k3 KL to the reference"),
  ...byTurn("turnEntropy", "Entropy", "Mean token entropy of the policy that wrote the rollouts"),
  "update/gradientNorm": {
    title: "Gradient norm",
    unit: "",
    better: "none",
    meaning: "Global L2 norm before clipping, mean over the iteration's updates.",
    verl: ["actor/grad_norm"],
    trl: ["grad_norm"],
  },
  "update/gradientNormMax": {
    title: "Gradient norm, maximum",
    unit: "",
    better: "none",
    meaning: "Largest norm before clipping among the iteration's updates.",
  },
  "update/learningRate": {
    title: "Learning rate",
    unit: "",
    better: "none",
    meaning: "Of the last update.",
    verl: ["actor/lr"],
    trl: ["learning_rate"],
  },
  "update/numSteps": { title: "Updates", unit: "steps", better: "none", meaning: "Optimiser steps in this iteration." },
  "update/skippedSteps": {
    title: "Updates skipped",
    unit: "steps",
    better: "down",
    meaning: "Optimiser steps left out because a gradient was not finite.",
  },
  "update/klCoef": {
    title: "KL coefficient",
    unit: "",
    better: "none",
    meaning: "Weight of the KL to the reference, as adapted.",
    verl: ["actor/kl_coef", "actor/reward_kl_penalty_coeff"],
  },
  "update/paddingFraction": fraction(
    "Padding",
    "down",
    "Share of positions through gradient passes that hold no token.",
  ),
  "critic/loss": {
    title: "Value loss",
    unit: "",
    better: "down",
    meaning: "½·mean of the clipped squared error, mean over mini-batches.",
    verl: ["critic/vf_loss"],
  },
  "critic/clipFraction": {
    ...fraction("Value clip fraction", "none", "Share of response tokens whose value loss is the clipped one."),
    verl: ["critic/vf_clipfrac"],
  },
  "critic/valueMean": {
    title: "Value",
    unit: "reward",
    better: "none",
    meaning: "Mean predicted value over response tokens.",
    verl: ["critic/vpred_mean", "critic/values/mean"],
  },
  "critic/explainedVariance": {
    title: "Explained variance",
    unit: "",
    better: "up",
    meaning: "1 − Var(return − value)/Var(return) over response tokens, before the update.",
    verl: ["critic/vf_explained_var"],
  },
  "critic/gradientNorm": {
    title: "Critic gradient norm",
    unit: "",
    better: "none",
    meaning: "Global L2 norm before clipping, mean over the iteration's critic updates.",
    verl: ["critic/grad_norm"],
  },
  "reward/klPenalty": {
    title: "KL in the reward",
    unit: "reward",
    better: "none",
    meaning: "Mean over rows of the coefficient times the summed KL taken from the score.",
    verl: ["actor/reward_kl_penalty"],
  },
  "reward/overlongFraction": fraction("Overlong turns", "down", "Share of turns that pay an overlong penalty."),
  "rejection/successRate": fraction(
    "Success rate (rejection)",
    "up",
    "Share of the episodes generated for rejection fine-tuning that solved their task.",
  ),
  "rejection/keptEpisodes": {
    title: "Episodes kept (rejection)",
    unit: "",
    better: "up",
    meaning: "Successful, well-formatted episodes that were fine-tuned on.",
  },
  "evaluation/successRate": {
    ...fraction("Success rate", "up", "Share of held-out tasks solved; the same tasks at every evaluation."),
    verl: ["val/success_rate"],
  },
  "evaluation/returnMean": {
    title: "Return",
    unit: "reward",
    better: "up",
    meaning: "Mean undiscounted episode reward on held-out tasks.",
    verl: ["val/text/test_score", "val/text_test_score", "val/visual/test_score", "val/visual_test_score"],
  },
  "evaluation/score": fraction(
    "Score",
    "up",
    "Mean native score of the environment at the end of an episode on held-out tasks, in [0, 1].",
  ),
  "evaluation/unseenSuccessRate": fraction(
    "Success rate (unseen kinds)",
    "up",
    "As Success rate, on tasks of kinds that training never shows.",
  ),
  "evaluation/unseenScore": fraction(
    "Score (unseen kinds)",
    "up",
    "As Score, on tasks of kinds that training never shows.",
  ),
  "evaluation/validFormatRate": fraction(
    "Valid format (held-out)",
    "up",
    "As rollout/validFormatRate, on held-out tasks.",
  ),
  "evaluation/validActionRate": fraction(
    "Valid actions (held-out)",
    "up",
    "As rollout/validActionRate, on held-out tasks.",
  ),
  "evaluation/episodeTurns": {
    title: "Episode length (held-out)",
    unit: "turns",
    better: "none",
    meaning: "Mean number of turns on held-out tasks.",
  },
  "clone/loss": {
    title: "Cloning loss",
    unit: "nats/token",
    better: "down",
    meaning: "Mean negative log-likelihood of the expert's response tokens, per epoch.",
    verl: ["train/loss"],
  },
  "clone/tokenAccuracy": fraction(
    "Cloning accuracy",
    "up",
    "Share of the expert's response tokens that are the policy's most likely token, per epoch.",
  ),
  "time/iterationMs": timing("Time per iteration", "Wall time of the whole iteration, evaluation included.", [
    "timing_s/step",
  ]),
  "time/rolloutMs": timing("Rollout time", "Wall time of sampling and environments.", ["timing_s/gen"]),
  "time/environmentMs": timing(
    "Environment time",
    "Wall time of tasks made, prompts written and actions taken, a part of the rollout time.",
  ),
  "time/logProbsMs": timing("Log-probability time", "Wall time of the passes for π_old and π_ref.", [
    "timing_s/old_log_prob",
  ]),
  "time/updateMs": timing("Update time", "Wall time of gradients and optimiser steps.", ["timing_s/update_actor"]),
  "time/evaluationMs": timing("Evaluation time", "Wall time of the evaluation after this iteration.", [
    "timing_s/testing",
  ]),
  "time/criticMs": timing("Critic time", "Wall time of values and critic updates.", ["timing_s/update_critic"]),
  "time/checkpointMs": timing("Checkpoint time", "Wall time of writing the checkpoint.", ["timing_s/save_checkpoint"]),
  "memory/peakMb": {
    title: "Peak memory",
    unit: "MB",
    better: "down",
    meaning: "Largest resident size of the trainer's process so far.",
  },
  "throughput/trainedTokensPerSecond": {
    title: "Training throughput",
    unit: "tokens/s",
    better: "up",
    meaning: "Prompt and response tokens through gradient passes per second of update time.",
  },
  "throughput/sampledTokensPerSecond": {
    title: "Sampling throughput",
    unit: "tokens/s",
    better: "up",
    meaning: "Response tokens sampled per second of rollout time.",
  },
} as const satisfies Record<string, Metric>;

export type MetricKey = keyof typeof metrics;
export const metricKeys = Object.keys(metrics).filter(isMetricKey);

export function isMetricKey(key: string): key is MetricKey {
  return Object.hasOwn(metrics, key);
}

/** Groups whose names the environment defines: the success rate of each of its types of tasks. */
const taskGroups: ReadonlyMap<string, string> = new Map([
  ["taskSuccess", "on held-out tasks"],
  ["unseenTaskSuccess", "on tasks of kinds that training never shows"],
]);

/** The catalogue's entry for a key; an unknown key describes itself. */
export function describeMetric(key: string): Metric {
  if (isMetricKey(key)) return metrics[key];
  const [group = "", type = ""] = key.split("/");
  const where = taskGroups.get(group);
  return where === undefined
    ? { title: key, unit: "", better: "none", meaning: "Logged by the trainer under this name." }
    : fraction(
        `Success rate: ${type}${group === "taskSuccess" ? "" : " (unseen kinds)"}`,
        "up",
        `Share of tasks of type ${type} that were solved, ${where}.`,
      );
}
