import { alsoUnder, type Names } from "./names.ts";

/** Metric names of Stable-Baselines3. */
export const stableBaselines3: Names = {
  "rollout/ep_rew_mean": "rollout/returnMean",
  "rollout/ep_len_mean": "rollout/episodeTurns",
  "rollout/success_rate": "rollout/successRate",
  "eval/mean_reward": "evaluation/returnMean",
  "eval/mean_ep_length": "evaluation/episodeTurns",
  "eval/success_rate": "evaluation/successRate",
  "train/loss": "loss/total",
  "train/policy_gradient_loss": "loss/policy",
  "train/actor_loss": "loss/policy",
  // Mean of −H.
  "train/entropy_loss": ["policy/entropy", -1],
  "train/approx_kl": "policy/klOld",
  "train/clip_fraction": "policy/clipFraction",
  // Without the factor ½.
  "train/value_loss": ["critic/loss", 0.5],
  "train/critic_loss": null,
  "train/explained_variance": "critic/explainedVariance",
  "train/learning_rate": "update/learningRate",
};

const rllibLearner: Names = {
  total_loss: "loss/total",
  policy_loss: "loss/policy",
  entropy: "policy/entropy",
  kl: "policy/klOld",
  mean_kl_loss: "policy/klOld",
  // Without the factor ½.
  vf_loss: ["critic/loss", 0.5],
  vf_explained_var: "critic/explainedVariance",
  cur_lr: "update/learningRate",
  default_optimizer_learning_rate: "update/learningRate",
  grad_gnorm: "update/gradientNorm",
  gradients_default_optimizer_global_norm: "update/gradientNorm",
};

const under = (prefix: string): Names =>
  Object.fromEntries(Object.entries(rllibLearner).map(([name, meaning]) => [`${prefix}${name}`, meaning]));

/** Metric names of RLlib's `progress.csv` and `result.json`, for both of its interfaces. */
export const rllib: Names = {
  "env_runners/episode_return_mean": "rollout/returnMean",
  "sampler_results/episode_reward_mean": "rollout/returnMean",
  episode_reward_mean: "rollout/returnMean",
  "env_runners/episode_len_mean": "rollout/episodeTurns",
  episode_len_mean: "rollout/episodeTurns",
  "evaluation/env_runners/episode_return_mean": "evaluation/returnMean",
  "evaluation/episode_reward_mean": "evaluation/returnMean",
  "evaluation/env_runners/episode_len_mean": "evaluation/episodeTurns",
  "evaluation/episode_len_mean": "evaluation/episodeTurns",
  ...under("learners/default_policy/"),
  ...under("info/learner/default_policy/learner_stats/"),
  ...under("info/learner/default_policy/"),
};

/** Metric names of OpenAI baselines: PPO2 with and without groups, TRPO and PPO1. */
export const baselines: Names = {
  eprewmean: "rollout/returnMean",
  EpRewMean: "rollout/returnMean",
  eplenmean: "rollout/episodeTurns",
  EpLenMean: "rollout/episodeTurns",
  "train/success_rate": "rollout/successRate",
  "test/success_rate": "evaluation/successRate",
  eval_eprewmean: "evaluation/returnMean",
  eval_eplenmean: "evaluation/episodeTurns",
  ...alsoUnder("loss/", {
    policy_loss: "loss/policy",
    policy_entropy: "policy/entropy",
    value_loss: "critic/loss",
    clipfrac: "policy/clipFraction",
    // Half the mean square of the log-ratio, so never negative.
    approxkl: null,
  }),
  loss_pol_surr: "loss/policy",
  loss_ent: "policy/entropy",
  loss_kl: "policy/klOld",
  loss_vf_loss: "critic/loss",
  entropy: "policy/entropy",
  meankl: "policy/klOld",
  "misc/explained_variance": "critic/explainedVariance",
  explained_variance: "critic/explainedVariance",
};

/** Usual names in hand-written logs. */
export const plain: Names = {
  ...alsoUnder("train/", {
    success_rate: "rollout/successRate",
    success: "rollout/successRate",
    return: "rollout/returnMean",
    mean_return: "rollout/returnMean",
    return_mean: "rollout/returnMean",
    episode_return: "rollout/returnMean",
    reward: "rollout/returnMean",
    mean_reward: "rollout/returnMean",
    reward_mean: "rollout/returnMean",
    avg_reward: "rollout/returnMean",
    episode_reward: "rollout/returnMean",
    loss: "loss/total",
    total_loss: "loss/total",
    policy_loss: "loss/policy",
    pg_loss: "loss/policy",
    value_loss: "critic/loss",
    entropy: "policy/entropy",
    kl: "policy/klReference",
    clip_fraction: "policy/clipFraction",
    clipfrac: "policy/clipFraction",
    grad_norm: "update/gradientNorm",
    lr: "update/learningRate",
    learning_rate: "update/learningRate",
    response_length: "rollout/responseTokens",
  }),
  ...evaluated({
    success_rate: "evaluation/successRate",
    success: "evaluation/successRate",
    return: "evaluation/returnMean",
    reward: "evaluation/returnMean",
    mean_reward: "evaluation/returnMean",
  }),
};

function evaluated(names: Names): Names {
  const prefixes = ["eval/", "eval_", "val/", "val_", "evaluation/", "test/", "test_"];
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, meaning]) => prefixes.map((prefix) => [`${prefix}${name}`, meaning])),
  );
}
