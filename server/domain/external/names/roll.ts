import { seconds, type Names } from "./names.ts";

/** Metric names of ROLL. */
export const roll: Names = {
  "actor/pg_loss": "loss/policy",
  "actor/total_loss": "loss/total",
  "actor_train/loss": "loss/total",
  "actor/kl_loss": "policy/klReference",
  // Sign: new − old.
  "actor/policykl": ["policy/klOld", -1],
  // Half the mean square of the log-ratio, so never negative.
  "actor/approxkl": null,
  "actor/clipfrac": "policy/clipFraction",
  "actor/ppo_ratio_high_clipfrac": "policy/clipFractionHigh",
  "actor/ppo_ratio_low_clipfrac": "policy/clipFractionLow",
  // Fraction outside the range, regardless of the advantage.
  "actor/ppo_ratio_clipfrac": null,
  "actor/ratio_mean": "policy/ratioMean",
  "actor/ratio_max": "policy/ratioMax",
  "actor/ratio_min": "policy/ratioMin",
  "actor/train_infer_ratio_token_mean": "policy/samplerRatioMean",
  // Signed difference of probabilities.
  "actor/train_infer_diff_token_mean": null,
  "actor/is_weight_clipfrac": "policy/truncatedImportanceFraction",
  "actor/lr": "update/learningRate",
  "actor/backward_steps": "update/numSteps",
  "actor/samples_used": "rollout/numRows",
  "critic/score/mean": "rollout/returnMean",
  "rollout/score/mean": "rollout/returnMean",
  "critic/values/mean": "critic/valueMean",
  "critic/vpred": "critic/valueMean",
  "critic/entropy/mean": "policy/entropy",
  "critic/loss": "critic/loss",
  "critic/clipfrac": "critic/clipFraction",
  "tokens/response_length/mean": "rollout/responseTokens",
  "rollout/response_length/mean": "rollout/responseTokens",
  "env/{tag}/success": "rollout/successRate",
  "val/{tag}/score/mean": "evaluation/returnMean",
  "time/step_total": ["time/iterationMs", seconds],
  "time/step_rollout": ["time/rolloutMs", seconds],
  "time/step_old_log_probs_values": ["time/logProbsMs", seconds],
  "time/step_train": ["time/updateMs", seconds],
  "time/step_val": ["time/evaluationMs", seconds],
  "time/{cluster}/do_checkpoint/total": ["time/checkpointMs", seconds],
};
