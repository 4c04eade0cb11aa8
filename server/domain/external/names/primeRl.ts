import { seconds, type Names } from "./names.ts";

/**
 * Metric names of prime-rl, which trains on environments of verifiers. Names with `all` are before its filters, with
 * `effective` after.
 */
export const primeRl: Names = {
  // A mean of partial sums, one per micro-batch: not the loss of the step.
  "loss/mean": null,
  "entropy/all/mean": "policy/entropy",
  // k3: e^x − 1 − x with x = log π − log μ, for the policy being updated. It does not log k1.
  "mismatch_kl/all/mean": "mismatch/k3",
  "is_masked/mean": "policy/clipFraction",
  // Bounds on the difference of probabilities, for tokens whose advantage has that sign.
  "is_masked_high/mean": "policy/boundedHighFraction",
  "is_masked_low/mean": "policy/boundedLowFraction",
  // log π_ref − log π.
  "ref_kl/mean": ["policy/klReference", -1],
  "nll/mean": "clone/loss",
  "optim/lr": "update/learningRate",
  "optim/grad_norm": "update/gradientNorm",
  "perf/throughput": "throughput/trainedTokensPerSecond",
  "train/agg/all/{agent}/reward/mean": "rollout/returnMean",
  "train/agg/effective/{agent}/reward/mean": "rollout/returnMean",
  "train/agg/all/{agent}/solved_none": "group/noneSolvedFraction",
  "train/agg/all/{agent}/solved_all": "group/allSolvedFraction",
  "train/agg/all/num_turns/mean": "rollout/episodeTurns",
  "train/agg/effective/num_turns/mean": "rollout/episodeTurns",
  "train/agg/all/num_output_tokens/mean": "rollout/episodeTokens",
  "train/agg/effective/num_output_tokens/mean": "rollout/episodeTokens",
  "train/agg/all/{agent}/stop_condition/generation_truncated": "rollout/truncatedFraction",
  "train/agg/all/{agent}/is_truncated/mean": "rollout/truncatedFraction",
  "train/agg/effective/{agent}/stop_condition/generation_truncated": "rollout/truncatedFraction",
  "train/agg/effective/{agent}/is_truncated/mean": "rollout/truncatedFraction",
  "off_policy/mean": "policy/staleness",
  "progress/rollouts": "rollout/numRows",
  "eval/{environment}/all/{agent}/reward/mean": "evaluation/returnMean",
  "eval/{environment}/effective/{agent}/reward/mean": "evaluation/returnMean",
  "eval/{environment}/all/num_turns/mean": "evaluation/episodeTurns",
  "eval/{environment}/effective/num_turns/mean": "evaluation/episodeTurns",
  "time/step": ["time/iterationMs", seconds],
  "time/forward_backward": ["time/updateMs", seconds],
  "time/save_ckpt": ["time/checkpointMs", seconds],
};
