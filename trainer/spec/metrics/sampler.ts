import { fraction, type Metric } from "./entry.ts";

/** Metrics of the distance between the sampler and the old policy. */
export const samplerMetrics = {
  "policy/samplerMismatch": {
    title: "Sampler mismatch",
    unit: "nats/token",
    better: "down",
    meaning:
      "Mean |log π_old − log π_sampler|: the numerical difference between training and sampling, if the trainer computes π_old itself.",
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
    ...fraction(
      "Normalised ESS of the sampler",
      "up",
      "Normalised effective sample size, (Σw)² / (n·Σw²), of the ratios w = π_old/π_sampler: 1 if both agree.",
    ),
  },
  "policy/staleness": {
    title: "Staleness",
    unit: "steps",
    better: "down",
    meaning: "Mean number of policy versions between sampling and update, as logged by asynchronous trainers.",
  },
  "policy/truncatedImportanceFraction": fraction(
    "Importance weights truncated",
    "down",
    "Share of response tokens whose π_old/π_sampler was cut at its cap, or zeroed outside its bounds.",
  ),
} as const satisfies Record<string, Metric>;

/** Metrics of the effect of an off-policy correction on a batch. */
export const correctionMetrics = {
  "correction/effectiveFraction": fraction(
    "Normalised ESS of the correction",
    "up",
    "Normalised effective sample size, (Σω)² / (n·Σω²), of the correction weights ω of all response tokens.",
  ),
  "correction/rejectedTokenFraction": fraction(
    "Tokens rejected",
    "down",
    "Share of response tokens that the correction excludes from the policy loss.",
  ),
  "correction/rejectedRowFraction": fraction(
    "Rows rejected",
    "down",
    "Share of rows that the correction excludes completely from the policy loss.",
  ),
  "correction/stepScale": fraction(
    "Step scale",
    "up",
    "Factor by which a minibatch's effective sample size scales its learning rate, mean over minibatches.",
  ),
} as const satisfies Record<string, Metric>;
