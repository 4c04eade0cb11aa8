import { type Metric, fraction } from "./entry.ts";

/** Metrics of the minimised loss and its terms, and of advantages. */
export const lossMetrics = {
  "advantage/absMean": {
    title: "|Advantage|",
    unit: "",
    better: "none",
    meaning: "Mean absolute advantage over rows.",
  },
  "advantage/rowGradientNorm": {
    title: "Gradient norm of a row",
    unit: "",
    better: "none",
    meaning: "Mean over rows of ‖∇log π‖ of the whole response; VCPO's baseline weights rows by this norm.",
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
} as const satisfies Record<string, Metric>;

/** Metrics of the optimizer steps. */
export const updateMetrics = {
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
    meaning: "Learning rate of the last update.",
  },
  "update/numSteps": { title: "Updates", unit: "steps", better: "none", meaning: "Optimizer steps in this iteration." },
  "update/skippedSteps": {
    title: "Updates skipped",
    unit: "steps",
    better: "down",
    meaning: "Optimizer steps left out because a gradient was not finite.",
  },
  "update/klCoef": {
    title: "KL coefficient",
    unit: "",
    better: "none",
    meaning: "Current weight of the KL to the reference, after adaptation.",
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
    better: "down",
    meaning: "½·mean of the clipped squared error, mean over minibatches.",
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
} as const satisfies Record<string, Metric>;
