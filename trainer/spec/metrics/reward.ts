import { fraction, type Metric } from "./entry.ts";

/** Penalties subtracted from the reward before any advantage. */
export const rewardMetrics = {
  "reward/klPenalty": {
    title: "KL in the reward",
    unit: "reward",
    better: "none",
    meaning: "Mean over rows of the coefficient times the summed KL taken from the score.",
  },
  "reward/overlongFraction": fraction("Overlong turns", "down", "Share of turns that pay an overlong penalty."),
} as const satisfies Record<string, Metric>;
