import { seconds, type Names } from "./names.ts";
import { verl } from "./verl.ts";

/** Metric names of rLLM; with verl as backend it also logs verl's names. */
export const rllm: Names = {
  "reward/{role}/mean": "rollout/returnMean",
  "episode/correct": "rollout/successRate",
  "episode/num_turns": "rollout/episodeTurns",
  "batch/steps_per_traj/mean": "rollout/episodeTurns",
  "batch/step_response_length/mean": "rollout/responseTokens",
  "episode/response_tokens": "rollout/episodeTokens",
  "advantage/{role}/fraction_zero": "group/zeroVarianceFraction",
  "batch/solve_none": "group/noneSolvedFraction",
  "batch/solve_all": "group/allSolvedFraction",
  // An absolute difference, despite its name. v2, half the mean square, has no catalogue metric.
  "train/kl_sample_train_v1": "policy/samplerMismatch",
  "offpolicy/logprob_abs_diff/mean": "policy/samplerMismatch",
  "offpolicy/prob_abs_diff/mean": "policy/samplerProbabilityGap",
  "offpolicy/kl": "policy/samplerKl",
  "offpolicy/k3_kl": "mismatch/k3",
  "async/staleness_mean": "policy/staleness",
  "train/entropy": "policy/entropy",
  "progress/lr": "update/learningRate",
  "val/{source}/pass@1": { is: "evaluation/successRate", each: "taskSuccess/{source}" },
  "val/{source}/pass@{n}": "evaluation/passAt{n}",
  "time/step": ["time/iterationMs", seconds],
  "time/testing": ["time/evaluationMs", seconds],
  ...verl,
};
