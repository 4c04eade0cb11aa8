import { fraction, type Metric } from "./entry.ts";

/** Metrics of how an update changes the policy, and of how clipping affects that change. */
export const policyMetrics = {
  "policy/klReference": {
    title: "KL to reference",
    unit: "nats/token",
    min: 0,
    better: "down",
    meaning:
      "k3 estimate of the KL to the reference policy: mean of e^z − z − 1 over response tokens of every minibatch, where z = log π_ref − log π.",
  },
  "policy/klOld": {
    title: "KL old → new",
    unit: "nats/token",
    better: "down",
    meaning:
      "k1 estimate of the KL from the old to the new policy: mean of log π_old − log π over response tokens. It can be negative.",
  },
  "policy/entropy": {
    title: "Entropy",
    unit: "nats/token",
    min: 0,
    better: "none",
    meaning: "Mean token entropy of the policy that sampled the rollouts.",
  },
  "policy/controlMass": fraction(
    "Control-token mass",
    "down",
    "Probability of all control tokens, such as format tags and end marks, where the update trains on another token; mean over these response tokens.",
  ),
  "policy/clipFraction": {
    ...fraction(
      "Clip fraction",
      "none",
      "Share of response tokens whose ratio the method clips or bounds. Typical values differ between methods.",
    ),
  },
  "policy/clipFractionHigh": {
    ...fraction(
      "Clipped above",
      "none",
      "Share of response tokens whose ratio is above the upper clip bound, 1 + ε_high.",
    ),
  },
  "policy/clipFractionLow": {
    ...fraction(
      "Clipped below",
      "none",
      "Share of response tokens whose ratio is below the lower clip bound, 1 − ε_low.",
    ),
  },
  "policy/clipFractionDual": {
    ...fraction(
      "Dual-clipped",
      "none",
      "Share of response tokens that have a negative advantage and are bounded by the dual clip.",
    ),
  },
  "policy/boundedHighFraction": fraction(
    "Bounded above",
    "none",
    "Share of response tokens that have a positive advantage and are limited by the method's upper bound.",
  ),
  "policy/boundedLowFraction": fraction(
    "Bounded below",
    "none",
    "Share of response tokens that have a negative advantage and are limited by the method's lower bound.",
  ),
  "policy/ratioMean": {
    title: "Ratio, mean",
    unit: "",
    min: 0,
    better: "none",
    meaning: "Mean of π/π_old over response tokens of every minibatch.",
  },
  "policy/ratioMin": {
    title: "Ratio, minimum",
    unit: "",
    min: 0,
    better: "none",
    meaning: "Smallest π/π_old of a response token in the iteration.",
  },
  "policy/ratioMax": {
    title: "Ratio, maximum",
    unit: "",
    min: 0,
    better: "none",
    meaning: "Largest π/π_old of a response token in the iteration. The log-ratio is limited to ±20.",
  },
  "policy/maskedRowFraction": {
    ...fraction(
      "Training rows masked",
      "none",
      "Share of training rows (turns, or whole episodes in transcripts) that the sequence mask excludes from the loss.",
    ),
  },
  "policy/numMaskedRows": {
    title: "Training rows masked, number",
    unit: "rows",
    min: 0,
    better: "none",
    meaning:
      "Number of training rows per micro-batch that the sequence mask excludes from the loss, as ARLArena counts them.",
  },
  "policy/effectiveSampleFraction": {
    ...fraction(
      "Normalised ESS",
      "up",
      "Normalised effective sample size, (Σw)² / (n·Σw²), of the ratios w = π/π_old of all response tokens: 1 if all ratios are equal, as on policy.",
    ),
  },
} as const satisfies Record<string, Metric>;
