import { seconds, type Names } from "./names.ts";

/** Metric names of OpenRLHF; its console omits `train/`, which its reader adds again. */
export const openRlhf: Names = {
  "train/policy_loss": "loss/policy",
  "train/entropy_loss": "policy/entropy",
  "train/ppo_clip_ratio": "policy/clipFraction",
  "train/ppo_kl": "policy/klOld",
  "train/vllm_kl": "policy/samplerKl",
  "train/kl": "policy/klReference",
  "train/rollout/reward_mean": "rollout/returnMean",
  "train/reward": "rollout/returnMean",
  "train/group_reward_std": "group/returnStd",
  // Over the batch, not within groups.
  "train/rollout/reward_std": null,
  "train/rollout/response_length_mean": "rollout/responseTokens",
  "train/response_length": "rollout/responseTokens",
  "train/rollout/truncated_rate": "rollout/truncatedFraction",
  "train/truncated": "rollout/truncatedFraction",
  "train/response_clip_ratio": "rollout/truncatedFraction",
  "train/rollout/num_samples": "rollout/numRows",
  // Samples per prompt in per cent: up to 100 times the group's size.
  "train/dynamic_filtering_pass_rate": null,
  "train/actor_lr": "update/learningRate",
  "train/actor_grad_norm": "update/gradientNorm",
  "train/critic_loss": "critic/loss",
  "train/values": "critic/valueMean",
  "train/critic_grad_norm": "critic/gradientNorm",
  "eval/eval_{dataset/}_pass1": "evaluation/returnMean",
  "train/timing/step_total": ["time/iterationMs", seconds],
  "train/timing/generation": ["time/rolloutMs", seconds],
  "train/timing/make_experience": ["time/logProbsMs", seconds],
  "train/timing/ppo_train": ["time/updateMs", seconds],
};
