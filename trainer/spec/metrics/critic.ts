import { fraction, type Metric } from "./entry.ts";

/** The learned baseline. */
export const criticMetrics = {
  "critic/loss": {
    title: "Value loss",
    unit: "",
    better: "down",
    meaning: "½·mean of the clipped squared error, mean over minibatches.",
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
} as const satisfies Record<string, Metric>;
