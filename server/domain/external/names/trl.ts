import { alsoUnder, seconds, type Names } from "./names.ts";

const shared: Names = {
  loss: "loss/total",
  reward: "rollout/returnMean",
  entropy: "policy/entropy",
  // Only what the clip holds: the sign of the advantage must match.
  "clip_ratio/high_mean": "policy/boundedHighFraction",
  "clip_ratio/low_mean": "policy/boundedLowFraction",
  "clip_ratio/region_mean": "policy/clipFraction",
  "completions/mean_length": "rollout/responseTokens",
  grad_norm: "update/gradientNorm",
  learning_rate: "update/learningRate",
};

/** TRL's GRPOTrainer. Trackers put `train/` before a name, an evaluation `eval_`, in trackers `eval/`. */
export const trl: Names = {
  ...alsoUnder("train/", {
    ...shared,
    // Contains the KL penalty wherever there is one.
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
    // TRL has no success of its own: it is what a reward function of that name gives.
    "rewards/success/mean": "rollout/successRate",
  }),
  eval_reward: "evaluation/returnMean",
  "eval/reward": "evaluation/returnMean",
  "eval_rewards/success/mean": "evaluation/successRate",
  "eval/rewards/success/mean": "evaluation/successRate",
};

/** TRL's asynchronous trainer: some names are TRL's and mean another thing. */
export const trlAsync: Names = alsoUnder("train/", {
  ...shared,
  ratio: "policy/ratioMean",
  // Of the sampler's policy to the current one.
  kl: "policy/klOld",
  reward_std: "group/returnStd",
  queue_wait_time_s: null,
  buffer_qsize: null,
  weight_sync_time_s: null,
  generation_tok_per_s: "throughput/sampledTokensPerSecond",
  "training_tok/s": "throughput/trainedTokensPerSecond",
});
