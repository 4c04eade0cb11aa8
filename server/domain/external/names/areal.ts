import { seconds, type Names } from "./names.ts";

/** Metric names of AReaL. */
export const areal: Names = {
  "ppo_actor/update/actor_loss/avg": "loss/policy",
  "ppo_actor/update/entropy/avg": "policy/entropy",
  "ppo_actor/update/importance_weight/avg": "policy/ratioMean",
  "ppo_actor/update/importance_weight/max": "policy/ratioMax",
  "ppo_actor/update/importance_weight/min": "policy/ratioMin",
  // Signs: new − old, and old − sampler.
  "ppo_actor/update/approx_kl/avg": ["policy/klOld", -1],
  "ppo_actor/update/behave_approx_kl/avg": ["policy/samplerKl", -1],
  // Sampler − current, the catalogue's sign.
  "ppo_actor/update/compute_logp/kl_div_direct/avg": "policy/samplerKl",
  // k3: e^x − 1 − x with x = log π − log μ. `kl_div_taylor` is x²/2, which the catalogue does not have.
  "ppo_actor/update/compute_logp/kl_div_dual/avg": "mismatch/k3",
  "ppo_actor/update/behave_imp_weight/avg": "policy/samplerRatioMean",
  // Fraction of valid tokens.
  "ppo_actor/update/rs_filtered_fraction": "correction/rejectedTokenFraction",
  "ppo_actor/update/clip_ratio/avg": "policy/clipFraction",
  "ppo_actor/update/dual_clip_ratio/avg": "policy/clipFractionDual",
  "ppo_actor/update/version_stats/sample_staleness_theta_avg": "policy/staleness",
  "ppo_actor/update/grad_norm": "update/gradientNorm",
  "ppo_actor/update/lr": "update/learningRate",
  "ppo_actor/task_reward/avg": "rollout/returnMean",
  "rollout/reward": "rollout/returnMean",
  // Includes KL and shaping, mean over tokens.
  "ppo_actor/final_reward/avg": null,
  "ppo_actor/no_eos_ratios/avg": "rollout/truncatedFraction",
  "ppo_actor/n_seqs": "rollout/numRows",
  "ppo_critic/update/critic_loss/avg": "critic/loss",
  "ppo_critic/update/clip_ratio/avg": "critic/clipFraction",
  "ppo_critic/update/new_value/avg": "critic/valueMean",
  "eval-rollout/reward": "evaluation/returnMean",
  "timeperf/rollout": ["time/rolloutMs", seconds],
  "timeperf/recompute_logp": ["time/logProbsMs", seconds],
  "timeperf/train_step": ["time/updateMs", seconds],
  "timeperf/critic_train_step": ["time/criticMs", seconds],
  "timeperf/save": ["time/checkpointMs", seconds],
  "timeperf/eval": ["time/evaluationMs", seconds],
};
