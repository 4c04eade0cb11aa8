import { alsoUnder, seconds, type Names } from "./names.ts";

const shared: Names = {
  loss: "loss/total",
  reward: "rollout/returnMean",
  entropy: "policy/entropy",
  // Only clipped tokens: the sign of the advantage must match.
  "clip_ratio/high_mean": "policy/boundedHighFraction",
  "clip_ratio/low_mean": "policy/boundedLowFraction",
  "clip_ratio/region_mean": "policy/clipFraction",
  "completions/mean_length": "rollout/responseTokens",
  grad_norm: "update/gradientNorm",
  learning_rate: "update/learningRate",
};

/** Metric names of TRL's GRPOTrainer. Trackers add `train/`; an evaluation adds `eval_`, in trackers `eval/`. */
export const trl: Names = {
  ...alsoUnder("train/", {
    ...shared,
    // Includes the KL penalty, if there is one.
    policy_loss: null,
    // Over the whole batch since January 2026, within groups before.
    reward_std: null,
    frac_reward_zero_std: "group/zeroVarianceFraction",
    kl: "policy/klReference",
    clip_ratio: "policy/clipFraction",
    cispo_clip_ratio: "policy/clipFraction",
    "completions/clipped_ratio": "rollout/truncatedFraction",
    "sampling/sampling_logp_difference/mean": "policy/samplerMismatch",
    "sampling/sampling_logp_difference/max": "mismatch/absMax",
    "sampling/importance_sampling_ratio/mean": "policy/samplerRatioMean",
    step_time: ["time/iterationMs", seconds],
    // TRL has no success metric: this is the mean of a reward function with that name.
    "rewards/success/mean": "rollout/successRate",
  }),
  eval_reward: "evaluation/returnMean",
  "eval/reward": "evaluation/returnMean",
  "eval_rewards/success/mean": "evaluation/successRate",
  "eval/rewards/success/mean": "evaluation/successRate",
};

/** Metric names of TRL's asynchronous trainer, some of which differ in meaning from TRL's. */
export const trlAsync: Names = alsoUnder("train/", {
  ...shared,
  ratio: "policy/ratioMean",
  // KL from the sampler's policy to the current one.
  kl: "policy/klOld",
  reward_std: "group/returnStd",
  queue_wait_time_s: null,
  buffer_qsize: null,
  weight_sync_time_s: null,
  generation_tok_per_s: "throughput/sampledTokensPerSecond",
  "training_tok/s": "throughput/trainedTokensPerSecond",
});
