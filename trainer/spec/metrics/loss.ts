import { type Metric, fraction } from "./entry.ts";

/** Metrics of the minimised loss and its terms, and of advantages. */
export const lossMetrics = {
  "advantage/absMean": {
    title: "|Advantage|",
    unit: "",
    min: 0,
    better: "none",
    meaning: "Mean absolute advantage over training rows.",
  },
  "advantage/rowGradientNorm": {
    title: "Gradient norm of a training row",
    unit: "",
    min: 0,
    better: "none",
    meaning:
      "‖∇log π‖ of the whole response in a training row, averaged over rows. VCPO's baseline weights rows by this norm.",
  },
  "loss/total": {
    title: "Loss",
    unit: "",
    better: "none",
    meaning: "Policy loss + KL penalty − entropy bonus, mean over minibatches.",
  },
  "loss/policy": {
    title: "Policy loss",
    unit: "",
    better: "none",
    meaning: "Policy term of the loss: the clipped surrogate, aggregated over tokens as the method prescribes.",
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
    meaning: "Entropy coefficient × aggregated token entropy. It is subtracted from the loss.",
  },
} as const satisfies Record<string, Metric>;

/** Metrics of the optimizer steps. */
export const updateMetrics = {
  "update/gradientNorm": {
    title: "Gradient norm",
    unit: "",
    min: 0,
    better: "none",
    meaning: "Global L2 norm of the gradient before clipping, mean over the iteration's updates.",
  },
  "update/gradientNormMax": {
    title: "Gradient norm, maximum",
    unit: "",
    min: 0,
    better: "none",
    meaning: "Largest global L2 norm of the gradient before clipping, among the iteration's updates.",
  },
  "update/learningRate": {
    title: "Learning rate",
    unit: "",
    min: 0,
    better: "none",
    meaning: "Learning rate of the settings. A correction's step scale multiplies the rate of each update.",
  },
  "update/numSteps": {
    title: "Updates",
    unit: "steps",
    min: 0,
    better: "none",
    meaning: "Number of optimizer steps in this iteration.",
  },
  "update/skippedSteps": {
    title: "Updates skipped",
    unit: "steps",
    min: 0,
    better: "down",
    meaning: "Number of optimizer steps that were skipped because a gradient was not finite.",
  },
  "update/klCoef": {
    title: "KL coefficient",
    unit: "",
    min: 0,
    better: "none",
    meaning: "Weight of the KL to the reference policy, after its adaptation to the KL target.",
  },
  "update/paddingFraction": fraction(
    "Padding",
    "down",
    "Share of token positions in gradient passes that are padding.",
  ),
} as const satisfies Record<string, Metric>;

/** Metrics of the critic, the learned baseline. */
export const criticMetrics = {
  "critic/loss": {
    title: "Value loss",
    unit: "",
    min: 0,
    better: "down",
    meaning: "Half the mean clipped squared error of the critic's predictions, mean over minibatches.",
  },
  "critic/clipFraction": {
    ...fraction(
      "Value clip fraction",
      "none",
      "Share of response tokens for which the value loss uses the clipped prediction.",
    ),
  },
  "critic/valueMean": {
    title: "Value",
    unit: "reward",
    better: "none",
    meaning: "Mean value that the critic predicts, over response tokens.",
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
    min: 0,
    better: "none",
    meaning: "Global L2 norm of the critic's gradient before clipping, mean over the iteration's updates.",
  },
} as const satisfies Record<string, Metric>;
