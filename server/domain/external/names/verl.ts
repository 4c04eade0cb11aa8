import { seconds, type Names } from "./names.ts";

const actor: Names = {
  "actor/loss": "loss/total",
  "actor/pg_loss": "loss/policy",
  "actor/kl_loss": "policy/klReference",
  // The KL itself before its coefficient, not the amount subtracted from the reward.
  "actor/reward_kl_penalty": "policy/klReference",
  "actor/kl_coef": "update/klCoef",
  "actor/reward_kl_penalty_coeff": "update/klCoef",
  "actor/ppo_kl": "policy/klOld",
  "actor/entropy": "policy/entropy",
  "actor/entropy_loss": "policy/entropy",
  "actor/pg_clipfrac": "policy/clipFraction",
  "actor/pg_clipfrac_lower": "policy/clipFractionDual",
  "actor/grad_norm": "update/gradientNorm",
  "actor/lr": "update/learningRate",
  // Up to verl 0.2, and in its forks.
  "critic/kl": "policy/klReference",
  "critic/kl_coeff": "update/klCoef",
  "actor/lr(1e-4)": ["update/learningRate", 1e-4],
};

const critic: Names = {
  "critic/values/mean": "critic/valueMean",
  "critic/vpred_mean": "critic/valueMean",
  "critic/vf_explained_var": "critic/explainedVariance",
  "critic/vf_loss": "critic/loss",
  "critic/vf_clipfrac": "critic/clipFraction",
  "critic/grad_norm": "critic/gradientNorm",
};

const sampler: Names = {
  // Differences of probabilities, not nats, despite its description.
  "training/rollout_probs_diff_mean": "policy/samplerProbabilityGap",
  "training/rollout_probs_diff_max": "mismatch/probMax",
  "training/off_policy/trajectory_staleness/mean": "policy/staleness",
  "rollout_corr/kl": "policy/samplerKl",
  "rollout_corr/k3_kl": "mismatch/k3",
  "rollout_corr/chi2_token": "policy/samplerChiSquared",
  "rollout_corr/chi2_seq": "mismatch/chi2Row",
  "rollout_corr/log_ppl_diff": "mismatch/logPplGap",
  "rollout_corr/log_ppl_abs_diff": "mismatch/logPplGapAbs",
  "rollout_corr/rollout_is_mean": "policy/samplerRatioMean",
  "rollout_corr/rollout_is_std": "policy/samplerRatioStd",
  "rollout_corr/rollout_is_eff_sample_size": "policy/samplerEffectiveSampleFraction",
  "rollout_corr/rollout_is_ratio_fraction_high": "policy/truncatedImportanceFraction",
  "rollout_corr/rollout_rs_masked_fraction": "correction/rejectedTokenFraction",
  "rollout_corr/rollout_rs_seq_masked_fraction": "policy/maskedRowFraction",
};

const rows: Names = {
  "response_length/mean": "rollout/responseTokens",
  "response_length/clip_ratio": "rollout/truncatedFraction",
};

const times: Names = {
  "timing_s/step": ["time/iterationMs", seconds],
  "perf/time_per_step": ["time/iterationMs", seconds],
  "timing_s/gen": ["time/rolloutMs", seconds],
  "timing_s/old_log_prob": ["time/logProbsMs", seconds],
  "timing_s/update_actor": ["time/updateMs", seconds],
  "timing_s/update_critic": ["time/criticMs", seconds],
  "timing_s/testing": ["time/evaluationMs", seconds],
  "timing_s/save_checkpoint": ["time/checkpointMs", seconds],
  "timing/step": ["time/iterationMs", seconds],
  "timing/gen": ["time/rolloutMs", seconds],
  "timing/old_log_prob": ["time/logProbsMs", seconds],
  "timing/update_actor": ["time/updateMs", seconds],
  "timing/update_critic": ["time/criticMs", seconds],
  "timing/testing": ["time/evaluationMs", seconds],
  "timing/save_checkpoint": ["time/checkpointMs", seconds],
};

const validation: Names = {
  "val-core/{source/}/acc/mean@{n}": { is: "evaluation/successRate", each: "taskSuccess/{source}" },
  "val-core/{source/}/reward/mean@{n}": "evaluation/returnMean",
  "val-core/{source/}/score/mean@{n}": "evaluation/returnMean",
  // Sampled with replacement: below pass@n.
  "val-core/{source/}/{var}/best@{n}/mean": null,
  "val-aux/num_turns/mean": "evaluation/episodeTurns",
  // Up to verl 0.2, in its forks, and in verl-agent, which flattens names.
  "val/test_score/{source/}_pass@{n}": "evaluation/passAt{n}",
  "val/test_score_{source}_pass@{n}": "evaluation/passAt{n}",
  "val/test_score/{source/}": "evaluation/returnMean",
  "val/{source/}/test_score": "evaluation/returnMean",
  "val/{source}_test_score": "evaluation/returnMean",
};

/** Metric names of verl's own trainers: rows are episodes. */
export const verl: Names = {
  ...actor,
  ...critic,
  ...sampler,
  "critic/score/mean": "rollout/returnMean",
  "num_turns/mean": "rollout/episodeTurns",
  "training/num_turns/mean": "rollout/episodeTurns",
  ...rows,
  ...validation,
  // From its trainer on demonstrations.
  "train/loss": "clone/loss",
  ...times,
};

/** ALFWorld's six task types → names of the catalogue. */
const alfworldTypes: Names = {
  "val/pick_and_place_success_rate": "taskSuccess/pick",
  "val/pick_two_obj_and_place_success_rate": "taskSuccess/pick2",
  "val/look_at_obj_in_light_success_rate": "taskSuccess/look",
  "val/pick_heat_then_place_in_recep_success_rate": "taskSuccess/heat",
  "val/pick_cool_then_place_in_recep_success_rate": "taskSuccess/cool",
  "val/pick_clean_then_place_in_recep_success_rate": "taskSuccess/clean",
};

/**
 * Metric names of verl-agent and ARLArena, which flatten names with two slashes: rows are turns, and episodes are
 * counted separately.
 */
export const verlAgent: Names = {
  ...actor,
  // Ignores the response mask, so padding counts. Used only if nothing better is logged.
  "actor/new_log_prob_entropy": "policy/entropy",
  // Sign: new − old.
  "actor/delta_log_prob": ["policy/klOld", -1],
  "actor/num_masked_seqs": "policy/numMaskedRows",
  ...critic,
  "critic/values_mean": "critic/valueMean",
  ...sampler,
  "episode/success_rate": "rollout/successRate",
  "episode/reward/mean": "rollout/returnMean",
  "episode/reward_mean": "rollout/returnMean",
  // Without the penalty for invalid actions, and weighted towards long episodes.
  "critic/score/mean": null,
  "critic/score_mean": null,
  "episode/length/mean": "rollout/episodeTurns",
  "episode/length_mean": "rollout/episodeTurns",
  "episode/valid_action_ratio": "rollout/validActionRate",
  "episode/valid_response_format_ratio": "rollout/validFormatRate",
  "episode/webshop_task_score (not success_rate)": "rollout/score",
  "episode/task_score": "rollout/score",
  ...rows,
  "val/success_rate": "evaluation/successRate",
  ...alfworldTypes,
  "val/webshop_task_score (not success_rate)": "evaluation/score",
  "val/{source}_success_rate": "taskSuccess/{source}",
  "episode/{source}_success_rate": null,
  ...validation,
  ...times,
};

/** Metric names of RAGEN, based on verl. */
export const ragen: Names = {
  "train/{environment}/success": "rollout/successRate",
  "train/{environment}/final_score": "rollout/score",
  "train/response_length": "rollout/responseTokens",
  "train/rollout_attempts": "group/numTries",
  "train/batch_size": "rollout/numRows",
  "train/num_mini_batches": "update/numSteps",
  "rollout/in_group_reward_std": "group/returnStd",
  // Standard deviation of the quantity its filter uses: reward, entropy or length.
  "rollout/in_group_std": "group/returnStd",
  "val-env/{environment}/success": "evaluation/successRate",
  "collapse/valid_thinking_rate": "rollout/validFormatRate",
  ...verl,
  "timing_s/train_step": ["time/iterationMs", seconds],
  "timing_s/eval_step": ["time/evaluationMs", seconds],
};
