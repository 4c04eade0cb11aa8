import { fraction, type Metric } from "./entry.ts";

/** Metrics of the distance between sampler and old policy, logged by trainers with a separate inference engine. */
export const samplerMetrics = {
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
    meaning:
      "Mean log π_sampler − log π_old over response tokens (k1), which estimates KL(π_sampler ‖ π_old) and may be below zero.",
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
} as const satisfies Record<string, Metric>;

/** Metrics of the effect that an off-policy correction has on a batch. */
export const correctionMetrics = {
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
    "Factor on the learning rate of a minibatch for its effective sample size, mean over minibatches.",
  ),
} as const satisfies Record<string, Metric>;
