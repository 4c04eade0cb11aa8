import { fraction, type Metric } from "./entry.ts";

/** Metrics of evaluations on held-out tasks, which are the same at every evaluation. */
export const evaluationMetrics = {
  "evaluation/successRate": {
    ...fraction(
      "Success rate",
      "up",
      "Share of the held-out tasks, the same at every evaluation, that the policy solved.",
    ),
  },
  "evaluation/returnMean": {
    title: "Return",
    unit: "reward",
    better: "up",
    meaning: "Mean undiscounted episode reward on held-out tasks.",
  },
  "evaluation/score": fraction(
    "Score",
    "up",
    "Mean native score of the environment at the end of an episode on held-out tasks, in [0, 1].",
  ),
  "evaluation/unseenSuccessRate": fraction(
    "Success rate (unseen kinds)",
    "up",
    "Success rate on tasks of kinds that never occur in training.",
  ),
  "evaluation/unseenScore": fraction(
    "Score (unseen kinds)",
    "up",
    "Score on tasks of kinds that never occur in training.",
  ),
  "evaluation/validFormatRate": fraction(
    "Valid format (held-out)",
    "up",
    "Share of turns on held-out tasks whose response is one <think> and one <action> block.",
  ),
  "evaluation/validActionRate": fraction(
    "Valid actions (held-out)",
    "up",
    "Share of turns on held-out tasks whose response has a valid format and contains an action that the environment knows.",
  ),
  "evaluation/rejectedFraction": fraction(
    "Rejected repeats (held-out)",
    "down",
    "Share of the responses sampled on held-out tasks that loop-aware control rejected, because they repeated an action in the same state.",
  ),
  "evaluation/episodeTurns": {
    title: "Episode length (held-out)",
    unit: "turns",
    min: 0,
    better: "none",
    meaning: "Mean number of turns per episode on held-out tasks.",
  },
} as const satisfies Record<string, Metric>;
