import { fraction, type Metric } from "./entry.ts";

/** Metrics of the agent's actions in all episodes of an evaluation. */
export const behaviourMetrics = {
  "behaviour/revisitRate": fraction(
    "Revisited states",
    "down",
    "Share of turns on held-out tasks in a state in which the episode had been before.",
  ),
  "behaviour/loopRate": fraction(
    "Repeated actions",
    "down",
    "Share of turns on held-out tasks that repeat an earlier action of the episode in the same state.",
  ),
  "behaviour/distinctRate": fraction(
    "Distinct trajectories",
    "none",
    "Number of different sequences of action types, divided by the number of episodes on held-out tasks.",
  ),
  "behaviour/earlyEndRate": fraction(
    "Early ends",
    "down",
    "Share of episodes on held-out tasks that ended without success before the limit of turns.",
  ),
  "behaviour/repetitionRate": fraction(
    "Repetition within responses",
    "down",
    "Share of 4-grams of tokens that occurred before in the same response, mean over responses of at least four tokens.",
  ),
  "behaviour/transitionEntropy": {
    title: "Entropy of transitions",
    unit: "nats",
    min: 0,
    better: "none",
    meaning: "Entropy of an action's type given the type of the action before it, on held-out tasks.",
  },
} as const satisfies Record<string, Metric>;
