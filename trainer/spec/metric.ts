import { fraction, timing, type Metric } from "./metrics/entry.ts";
import { mismatchMetrics } from "./metrics/mismatch.ts";

export type { Metric } from "./metrics/entry.ts";

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
  },
  "rollout/returnMean": {
    title: "Return (training)",
    unit: "reward",
    better: "up",
    meaning: "Mean undiscounted episode reward, without the invalid-action penalty.",
  },
  "rollout/score": {
    ...fraction("Score (training)", "up", "Mean native score of the environment at the end of an episode, in [0, 1]."),
  },
  "rollout/validFormatRate": {
    ...fraction("Valid format", "up", "Share of turns whose response is one <think> and one <action> block."),
  },
  "rollout/validActionRate": {
    ...fraction(
      "Valid actions",
      "up",
      "Share of turns whose response has valid format and names an action the environment knows.",
    ),
  },
  "rollout/responseTokens": {
    title: "Response length",
    unit: "tokens",
    better: "none",
    meaning: "Mean number of tokens the policy wrote per turn, the end token included.",
  },
  "rollout/episodeTokens": {
    title: "Tokens of an episode",
    unit: "tokens",
    better: "none",
    meaning: "Mean number of tokens the policy wrote in all turns of an episode.",
  },
  "rollout/truncatedFraction": {
    ...fraction("Cut responses", "down", "Share of responses that reached the length limit without an end token."),
  },
  "rollout/episodeTurns": {
    title: "Episode length",
    unit: "turns",
    better: "none",
    meaning: "Mean number of turns per episode.",
  },
  "rollout/discardedFraction": fraction(
    "Episodes discarded for their age",
    "none",
    "Share of this iteration's episodes that an older policy wrote than the update takes.",
  ),
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
  },
  "group/noneSolvedFraction": fraction(
    "Groups that solved nothing",
    "down",
    "Share of groups without a success, before filtering.",
  ),
  "group/allSolvedFraction": fraction(
    "Groups that solved all",
    "none",
    "Share of groups whose episodes all succeeded, before filtering.",
  ),
  "group/returnStd": {
    title: "Return spread in a group",
    unit: "reward",
    better: "none",
    meaning: "Mean over groups of the standard deviation of episode rewards.",
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
  },
  "loss/policy": {
    title: "Policy loss",
    unit: "",
    better: "none",
    meaning: "The clipped surrogate as aggregated by the method.",
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
  },
  "policy/klOld": {
    title: "KL old → new",
    unit: "nats/token",
    better: "down",
    meaning: "k1 estimate, mean of log π_old − log π over response tokens; can be negative.",
  },
  "policy/entropy": {
    title: "Entropy",
    unit: "nats/token",
    better: "none",
    meaning: "Mean token entropy of the policy that wrote the rollouts.",
  },
  "policy/clipFraction": {
    ...fraction(
      "Clip fraction",
      "none",
      "Share of response tokens whose ratio is bounded by the method. Scales differ between methods.",
    ),
  },
  "policy/clipFractionHigh": {
    ...fraction("Clipped above", "none", "Share of response tokens with ratio above 1 + high."),
  },
  "policy/clipFractionLow": {
    ...fraction("Clipped below", "none", "Share of response tokens with ratio below 1 − low."),
  },
  "policy/clipFractionDual": {
    ...fraction("Dual-clipped", "none", "Share of response tokens with negative advantage bounded by the dual clip."),
  },
  "policy/boundedHighFraction": fraction(
    "Bounded above",
    "none",
    "Share of response tokens with positive advantage that the method's upper bound holds.",
  ),
  "policy/boundedLowFraction": fraction(
    "Bounded below",
    "none",
    "Share of response tokens with negative advantage that the method's lower bound holds.",
  ),
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
  "policy/numMaskedRows": {
    title: "Rows masked, number",
    unit: "rows",
    better: "none",
    meaning: "Rows of a micro-batch that sequence masking dropped, as ARLArena counts them.",
  },
  "policy/effectiveSampleFraction": {
    ...fraction("Effective sample share", "up", "(Σw)² / (n·Σw²) of the ratios of all response tokens: 1 on policy."),
  },
  "template/mutualInformation": {
    title: "Mutual information of prompts and responses",
    unit: "nats",
    better: "up",
    meaning:
      "Mean of log π(z|x) less the logarithm of its mean over all prompts x of the sample: 0 where every prompt gets the same answer, at most the logarithm of their number (RAGEN-2).",
  },
  "template/mutualInformationPerToken": {
    title: "Mutual information of prompts and responses, per token",
    unit: "nats/token",
    better: "up",
    meaning: "The same of mean log-probabilities by token, which long responses do not dominate.",
  },
  "template/conditionalEntropy": {
    title: "Entropy of responses, prompt known",
    unit: "nats",
    better: "none",
    meaning: "Mean of −log π(z|x) of whole responses under the prompts that they answered.",
  },
  "template/marginalEntropy": {
    title: "Entropy of responses, prompt unknown",
    unit: "nats",
    better: "none",
    meaning: "Mean of −log of a response’s mean probability over all prompts of the sample.",
  },
  "template/retrievalAccuracy": fraction(
    "Prompt retrieved from response",
    "up",
    "Share of responses that no prompt of the sample makes likelier than the one they answered; by chance one over their number.",
  ),
  "template/zScore": {
    title: "Mutual information over spread",
    unit: "",
    better: "up",
    meaning: "Mutual information over the standard deviation of log-probabilities with the prompt unknown.",
  },
  "policy/samplerMismatch": {
    title: "Sampler mismatch",
    unit: "nats/token",
    better: "down",
    meaning:
      "Mean |log π_old − log π_sampler|: the rounding between training and sampling, where old log-probabilities are the trainer's.",
  },
  "policy/samplerProbabilityGap": fraction(
    "Sampler probability gap",
    "down",
    "Mean |p_old − p_sampler| of the response tokens' probabilities, not of their logarithms.",
  ),
  "policy/samplerKl": {
    title: "Sampler KL",
    unit: "nats/token",
    better: "down",
    meaning: "KL of the sampler to the trainer's old policy, as trainers with a separate inference engine log it.",
  },
  "policy/samplerChiSquared": {
    title: "Sampler χ²",
    unit: "",
    better: "down",
    meaning: "χ² divergence of the old policy to the sampler over tokens: mean squared ratio − 1.",
  },
  "policy/samplerRatioMean": {
    title: "Sampler ratio, mean",
    unit: "",
    better: "none",
    meaning: "Mean of π_old/π_sampler: 1 where both agree.",
  },
  "policy/samplerRatioStd": {
    title: "Sampler ratio, spread",
    unit: "",
    better: "down",
    meaning: "Standard deviation of π_old/π_sampler.",
  },
  "policy/samplerEffectiveSampleFraction": {
    ...fraction("Sampler effective sample share", "up", "(Σw)² / (n·Σw²) of π_old/π_sampler: 1 where both agree."),
  },
  "policy/staleness": {
    title: "Staleness",
    unit: "steps",
    better: "down",
    meaning: "Mean number of policy versions between sampling and update, as asynchronous trainers log it.",
  },
  "policy/truncatedImportanceFraction": fraction(
    "Importance weights truncated",
    "down",
    "Share of response tokens whose π_old/π_sampler was cut at its cap, or zeroed outside its bounds.",
  ),
  "correction/effectiveFraction": fraction(
    "Effective sample share of the correction",
    "up",
    "(Σω)² / (n·Σω²) of the correction weights of all response tokens.",
  ),
  "correction/rejectedTokenFraction": fraction(
    "Tokens rejected",
    "down",
    "Share of response tokens that the correction leaves out of the policy loss.",
  ),
  "correction/rejectedRowFraction": fraction(
    "Rows rejected",
    "down",
    "Share of rows of which the correction leaves nothing in the policy loss.",
  ),
  "correction/stepScale": fraction(
    "Step scale",
    "up",
    "What the learning rate of a mini-batch is multiplied with for its effective sample size, mean over mini-batches.",
  ),
  ...mismatchMetrics,
  ...byStratum("strataTokens", "Share of tokens", "Share of response tokens"),
  ...byStratum("strataOutOfRange", "Out of range", "Share of the tokens outside the clip range"),
  ...byStratum("strataKl", "Share of KL", "Share of the KL to the reference that falls on tokens"),
  ...byTurn("turnKl", "KL to reference", "k3 KL to the reference"),
  ...byTurn("turnEntropy", "Entropy", "Mean token entropy of the policy that wrote the rollouts"),
  "update/gradientNorm": {
    title: "Gradient norm",
    unit: "",
    better: "none",
    meaning: "Global L2 norm before clipping, mean over the iteration's updates.",
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
  },
  "critic/clipFraction": {
    ...fraction("Value clip fraction", "none", "Share of response tokens whose value loss is the clipped one."),
  },
  "critic/valueMean": {
    title: "Value",
    unit: "reward",
    better: "none",
    meaning: "Mean predicted value over response tokens.",
  },
  "critic/explainedVariance": {
    title: "Explained variance",
    unit: "",
    better: "up",
    meaning: "1 − Var(return − value)/Var(return) over response tokens, before the update.",
  },
  "critic/gradientNorm": {
    title: "Critic gradient norm",
    unit: "",
    better: "none",
    meaning: "Global L2 norm before clipping, mean over the iteration's critic updates.",
  },
  "reward/klPenalty": {
    title: "KL in the reward",
    unit: "reward",
    better: "none",
    meaning: "Mean over rows of the coefficient times the summed KL taken from the score.",
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
  },
  "evaluation/returnMean": {
    title: "Return",
    unit: "reward",
    better: "up",
    meaning: "Mean undiscounted episode reward on held-out tasks.",
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
  },
  "clone/tokenAccuracy": fraction(
    "Cloning accuracy",
    "up",
    "Share of the expert's response tokens that are the policy's most likely token, per epoch.",
  ),
  "time/iterationMs": timing("Time per iteration", "Wall time of the whole iteration, evaluation included."),
  "time/rolloutMs": timing("Rollout time", "Wall time of sampling and environments."),
  "time/environmentMs": timing(
    "Environment time",
    "Wall time of tasks made, prompts written and actions taken, a part of the rollout time.",
  ),
  "time/logProbsMs": timing("Log-probability time", "Wall time of the passes for π_old and π_ref."),
  "time/updateMs": timing("Update time", "Wall time of gradients and optimiser steps."),
  "time/evaluationMs": timing("Evaluation time", "Wall time of the evaluation after this iteration."),
  "time/criticMs": timing("Critic time", "Wall time of values and critic updates."),
  "time/checkpointMs": timing("Checkpoint time", "Wall time of writing the checkpoint."),
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
  const [, kind, k = ""] = (group === "evaluation" && /^(passAt|atLeast)(\d+)$/.exec(type)) || [];
  if (kind !== undefined) return kind === "passAt" ? describePass(k) : describeAtLeast(k);
  const where = taskGroups.get(group);
  return where === undefined
    ? { title: key, unit: "", better: "none", meaning: "Logged by the trainer under this name." }
    : fraction(
        `Success rate: ${type}${group === "taskSuccess" ? "" : " (unseen kinds)"}`,
        "up",
        `Share of tasks of type ${type} that were solved, ${where}.`,
      );
}

function describePass(k: string): Metric {
  return fraction(
    `Pass@${k}`,
    "up",
    `Chance that at least one of ${k} samples solves a held-out task: the unbiased estimate from all samples of the task, mean over tasks.`,
  );
}

function describeAtLeast(k: string): Metric {
  return fraction(`${k}@n`, "up", `Share of held-out tasks that at least ${k} of their samples solved.`);
}

/** Whether a metric is of the initialisation, whose x-axis is the cloning epoch instead of the iteration. */
export function countsEpochs(key: string): boolean {
  return key.startsWith("clone/") || key.startsWith("rejection/");
}
