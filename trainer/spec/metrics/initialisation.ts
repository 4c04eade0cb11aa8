import { fraction, type Metric } from "./entry.ts";

/** Metrics of rejection fine-tuning on successful episodes of the policy. */
export const rejectionMetrics = {
  "rejection/successRate": fraction(
    "Success rate (rejection)",
    "up",
    "Share of the episodes generated for rejection fine-tuning that solved their task.",
  ),
  "rejection/keptEpisodes": {
    title: "Episodes kept (rejection)",
    unit: "",
    min: 0,
    better: "up",
    meaning: "Number of successful, well-formatted episodes on which the policy was fine-tuned.",
  },
} as const satisfies Record<string, Metric>;

/** Metrics of behaviour cloning on the expert's episodes. */
export const cloneMetrics = {
  "clone/loss": {
    title: "Cloning loss",
    unit: "nats/token",
    min: 0,
    better: "down",
    meaning: "Mean negative log-likelihood of the expert's response tokens, per epoch.",
  },
  "clone/tokenAccuracy": fraction(
    "Cloning accuracy",
    "up",
    "Share of the expert's response tokens that are the policy's most likely token, per epoch.",
  ),
} as const satisfies Record<string, Metric>;
