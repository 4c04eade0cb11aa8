import { fraction, type Metric } from "./entry.ts";

/** Optimizer steps. */
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
    meaning: "Weight of the KL to the reference, as adapted.",
  },
  "update/paddingFraction": fraction(
    "Padding",
    "down",
    "Share of positions through gradient passes that hold no token.",
  ),
} as const satisfies Record<string, Metric>;
