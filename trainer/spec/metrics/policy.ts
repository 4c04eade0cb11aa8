import { fraction, type Metric } from "./entry.ts";

/** Metrics of how an update changes the policy, and of how clipping affects that change. */
export const policyMetrics = {
  "policy/klReference": {
    title: "KL to reference",
    unit: "nats/token",
    better: "down",
    meaning: "k3 estimate, e^z − z − 1 with z = log π_ref − log π, mean over response tokens of every minibatch.",
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
    "Share of response tokens with positive advantage that the method's upper bound limits.",
  ),
  "policy/boundedLowFraction": fraction(
    "Bounded below",
    "none",
    "Share of response tokens with negative advantage that the method's lower bound limits.",
  ),
  "policy/ratioMean": {
    title: "Ratio, mean",
    unit: "",
    better: "none",
    meaning: "Mean of π/π_old over response tokens of every minibatch.",
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
    meaning: "Largest π/π_old of the iteration; the log-ratio is limited to ±20.",
  },
  "policy/maskedRowFraction": {
    ...fraction("Rows masked", "none", "Share of rows that sequence masking dropped."),
  },
  "policy/numMaskedRows": {
    title: "Rows masked, number",
    unit: "rows",
    better: "none",
    meaning: "Number of rows per micro-batch that sequence masking dropped, counted as in ARLArena.",
  },
  "policy/effectiveSampleFraction": {
    ...fraction(
      "Normalised ESS",
      "up",
      "Normalised effective sample size, (Σw)² / (n·Σw²), of the ratios w of all response tokens: 1 on policy.",
    ),
  },
} as const satisfies Record<string, Metric>;
