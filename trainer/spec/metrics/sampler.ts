import { fraction, type Metric } from "./entry.ts";

/** Metrics of the distance between the sampler and the old policy. */
export const samplerMetrics = {
  "policy/samplerMismatch": {
    title: "Sampler mismatch",
    unit: "nats/token",
    min: 0,
    better: "down",
    meaning:
      "Mean |log π_old − log π_sampler| over response tokens. If the trainer recomputes π_old, this is the numerical difference between training and inference engine.",
  },
  "policy/samplerProbabilityGap": fraction(
    "Sampler probability gap",
    "down",
    "Mean |p_old − p_sampler| over response tokens, where p is a token's probability (not its logarithm).",
  ),
  "policy/samplerKl": {
    title: "Sampler KL",
    unit: "nats/token",
    better: "down",
    meaning:
      "Estimate of KL(π_sampler ‖ π_old): mean of log π_sampler − log π_old over response tokens (k1). It can be negative.",
  },
  "policy/samplerChiSquared": {
    title: "Sampler χ²",
    unit: "",
    better: "down",
    meaning:
      "χ² divergence of the old policy from the sampler: mean of (π_old/π_sampler)² over response tokens, minus 1.",
  },
  "policy/samplerRatioMean": {
    title: "Sampler ratio, mean",
    unit: "",
    min: 0,
    better: "none",
    meaning: "Mean of π_old/π_sampler over response tokens: 1 if both policies agree.",
  },
  "policy/samplerRatioStd": {
    title: "Sampler ratio, spread",
    unit: "",
    min: 0,
    better: "down",
    meaning: "Standard deviation of π_old/π_sampler over response tokens.",
  },
  "policy/samplerEffectiveSampleFraction": {
    ...fraction(
      "Normalised ESS of the sampler",
      "up",
      "Normalised effective sample size, (Σw)² / (n·Σw²), of the ratios w = π_old/π_sampler over response tokens: 1 if both policies agree.",
    ),
  },
  "policy/staleness": {
    title: "Staleness",
    unit: "steps",
    min: 0,
    better: "down",
    meaning: "Mean number of policy versions between sampling and update, as logged by asynchronous trainers.",
  },
  "policy/truncatedImportanceFraction": fraction(
    "Importance weights truncated",
    "down",
    "Share of response tokens whose weight π_old/π_sampler was out of bounds, and was therefore truncated or set to 0.",
  ),
} as const satisfies Record<string, Metric>;

/** Metrics of the effect of an off-policy correction on a batch. */
export const correctionMetrics = {
  "correction/effectiveFraction": fraction(
    "Normalised ESS of the correction",
    "up",
    "Normalised effective sample size, (Σω)² / (n·Σω²), of the correction weights ω of all response tokens: 1 if all weights are equal.",
  ),
  "correction/rejectedTokenFraction": fraction(
    "Tokens rejected",
    "down",
    "Share of response tokens that the correction excludes from the policy loss.",
  ),
  "correction/rejectedRowFraction": fraction(
    "Training rows rejected",
    "down",
    "Share of training rows (turns, or whole episodes in transcripts) that the correction excludes completely from the policy loss.",
  ),
  "correction/stepScale": fraction(
    "Step scale",
    "up",
    "Factor on a minibatch's learning rate, computed from the normalised ESS of the minibatch. Mean over minibatches.",
  ),
} as const satisfies Record<string, Metric>;
