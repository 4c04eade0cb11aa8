import { fraction, type Metric } from "./entry.ts";

/** Metrics of the policy's behaviour in the environment, and of the differences between episodes of the same task. */
export const rolloutMetrics = {
  "rollout/successRate": {
    ...fraction(
      "Success rate (training)",
      "up",
      "Share of this iteration's episodes that solved their task, before any filtering.",
    ),
  },
  "rollout/returnMean": {
    title: "Return (training)",
    unit: "reward",
    better: "up",
    meaning: "Mean undiscounted episode reward, without the invalid-action penalty.",
  },
  "rollout/greedySuccessRate": fraction(
    "Success rate (greedy)",
    "up",
    "Share of this iteration's tasks, after filtering, that were solved by their greedy episode. ReMax uses this episode as its baseline.",
  ),
  "rollout/score": {
    ...fraction("Score (training)", "up", "Mean native score of the environment at the end of an episode, in [0, 1]."),
  },
  "rollout/validFormatRate": {
    ...fraction("Valid format", "up", "Share of turns whose response is one <think> and one <action> block."),
  },
  "rollout/validActionRate": {
    ...fraction(
      "Valid actions",
      "up",
      "Share of turns whose response has a valid format and contains an action that the environment knows.",
    ),
  },
  "rollout/responseTokens": {
    title: "Response length",
    unit: "tokens",
    min: 0,
    better: "none",
    meaning: "Mean number of tokens that the policy generated per turn, including the end token.",
  },
  "rollout/episodeTokens": {
    title: "Tokens per episode",
    unit: "tokens",
    min: 0,
    better: "none",
    meaning: "Mean number of tokens that the policy generated in all turns of an episode.",
  },
  "rollout/truncatedFraction": {
    ...fraction("Cut responses", "down", "Share of responses that reached the length limit without an end token."),
  },
  "rollout/episodeTurns": {
    title: "Episode length",
    unit: "turns",
    min: 0,
    better: "none",
    meaning: "Mean number of turns per episode.",
  },
  "rollout/discardedFraction": fraction(
    "Episodes discarded for their age",
    "none",
    "Share of this iteration's episodes that were discarded because they were sampled from a policy older than the maximum age.",
  ),
  "rollout/rejectedFraction": fraction(
    "Rejected repeats",
    "down",
    "Share of this iteration's sampled responses that loop-aware control rejected, because they repeated an action in the same state.",
  ),
  "rollout/numRows": {
    title: "Training rows",
    unit: "rows",
    min: 0,
    better: "none",
    meaning:
      "Number of training rows in this iteration's batch, after filtering. A row is one turn, or a whole episode in a transcript.",
  },
  "group/zeroVarianceFraction": {
    ...fraction(
      "Groups without signal",
      "down",
      "Share of groups whose episodes all got the same reward, before filtering.",
    ),
  },
  "group/noneSolvedFraction": fraction(
    "Groups that solved nothing",
    "down",
    "Share of groups in which no episode succeeded, before filtering.",
  ),
  "group/allSolvedFraction": fraction(
    "Groups that solved all",
    "none",
    "Share of groups in which all episodes succeeded, before filtering.",
  ),
  "group/returnStd": {
    title: "Return spread in a group",
    unit: "reward",
    min: 0,
    better: "none",
    meaning: "Standard deviation of the episode rewards within a group, averaged over groups.",
  },
  "group/filteredFraction": fraction(
    "Groups filtered out",
    "none",
    "Share of generated groups that were not trained on: the method's sampling left them out, or all their episodes were too old.",
  ),
  "group/numTries": {
    title: "Generation tries",
    unit: "",
    min: 0,
    better: "down",
    meaning: "Number of rounds of new tasks that dynamic sampling needed in this iteration.",
  },
} as const satisfies Record<string, Metric>;

/** Metrics of penalties, which are subtracted from the reward before advantages are computed. */
export const rewardMetrics = {
  "reward/klPenalty": {
    title: "KL in the reward",
    unit: "reward",
    better: "none",
    meaning:
      "KL penalty in the score of a training row: KL coefficient × KL summed over the row's tokens. Mean over rows.",
  },
  "reward/overlongFraction": fraction("Overlong turns", "down", "Share of turns that got an overlong penalty."),
} as const satisfies Record<string, Metric>;
