import { seconds, type Names } from "./names.ts";

/** Metric names of slime: `train/…` counts updates, the others rollouts. */
export const slime: Names = {
  "train/loss": "loss/total",
  "train/pg_loss": "loss/policy",
  "train/entropy_loss": "policy/entropy",
  "train/pg_clipfrac": "policy/clipFraction",
  "train/ppo_kl": "policy/klOld",
  "train/kl_loss": "policy/klReference",
  "train/train_rollout_logprob_abs_diff": "policy/samplerMismatch",
  "train/tis": "policy/samplerRatioMean",
  "train/tis_clipfrac": "policy/truncatedImportanceFraction",
  "train/ois": "policy/ratioMean",
  "train/opsm_clipfrac": "policy/maskedRowFraction",
  "train/grad_norm": "update/gradientNorm",
  "train/lr-pg_{group}": "update/learningRate",
  // Without the factor ½.
  "train/critic-value_loss": ["critic/loss", 0.5],
  "train/critic-value_clipfrac": "critic/clipFraction",
  "rollout/raw_reward": "rollout/returnMean",
  // After normalisation within the group: about 0.
  "rollout/rewards": null,
  "rollout/values": "critic/valueMean",
  "rollout/response_len/mean": "rollout/responseTokens",
  "rollout/response_lengths": "rollout/responseTokens",
  "rollout/truncated_ratio": "rollout/truncatedFraction",
  "rollout/truncated": "rollout/truncatedFraction",
  "rollout/zero_std/count_{reward}": null,
  "passrate/pass@1": "rollout/successRate",
  "multi_turn/multi_turn_metric/round_number_mean": "rollout/episodeTurns",
  "multi_turn/wo_obs_response_length/response_length_mean": "rollout/episodeTokens",
  "eval/{dataset}-pass@1": { is: "evaluation/successRate", each: "taskSuccess/{dataset}" },
  "eval/{dataset}-pass@{k}": "evaluation/passAt{k}",
  "eval/{dataset}-truncated_ratio": null,
  "eval/{dataset}": "evaluation/returnMean",
  "perf/rollout_time": ["time/rolloutMs", seconds],
  "perf/step_time": ["time/iterationMs", seconds],
  "perf/actor_train_time": ["time/updateMs", seconds],
  "perf/log_probs_time": ["time/logProbsMs", seconds],
  // Per GPU.
  "perf/tokens_per_gpu_per_sec": null,
  "perf/actor_train_tok_per_s": "throughput/trainedTokensPerSecond",
};
