import { seconds, type Names } from "./names.ts";

const percent = 0.01;

/**
 * Metric names of NeMo RL. Most losses and the gradient norm are sums over a step's updates: equal to means with a
 * single update.
 */
export const nemoRl: Names = {
  "train/loss": "loss/total",
  "train/kl_penalty": "policy/klReference",
  "train/probs_ratio": "policy/ratioMean",
  "train/probs_ratio_min": "policy/ratioMin",
  "train/probs_ratio_max": "policy/ratioMax",
  // With the default setting (the reference KL's kind) it is k3 of the old policy against the sampler.
  "train/gen_kl_error": "mismatch/k3",
  "train/token_mult_prob_error": "mismatch/multError",
  "train/js_divergence_error": "mismatch/js",
  "train/sampling_importance_ratio": "policy/samplerRatioMean",
  "train/is_oob_ratio": "policy/truncatedImportanceFraction",
  "train/approx_entropy": "policy/entropy",
  // A sum of norms over the step's updates.
  "train/grad_norm": null,
  "train/lr": "update/learningRate",
  "train/reward": "rollout/returnMean",
  "train/filtered_reward": null,
  "train/num_valid_samples": "rollout/numRows",
  "train/mean_gen_tokens_per_sample": "rollout/responseTokens",
  "train/truncation_rate": "rollout/truncatedFraction",
  "train/avg_turns_per_sample": "rollout/episodeTurns",
  "train/baseline_reward/pct_0": ["group/noneSolvedFraction", percent],
  "train/baseline_reward/pct_1": ["group/allSolvedFraction", percent],
  "train/dynamic_sampling_num_gen_batches": "group/numTries",
  "train/avg_trajectory_age": "policy/staleness",
  // The mean reward, despite its name.
  "validation/accuracy": "evaluation/returnMean",
  "timing/train/total_step_time": ["time/iterationMs", seconds],
  "timing/train/generation": ["time/rolloutMs", seconds],
  "timing/train/policy_training": ["time/updateMs", seconds],
  "timing/train/policy_and_reference_logprobs": ["time/logProbsMs", seconds],
  "timing/train/checkpointing": ["time/checkpointMs", seconds],
  "timing/validation/total_validation_time": ["time/evaluationMs", seconds],
};
