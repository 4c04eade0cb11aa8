import type { Names } from "./names.ts";

/** Metric names of OpenPipe ART. */
export const art: Names = {
  "train/reward": "rollout/returnMean",
  "train/reward_std_dev": "group/returnStd",
  "val/reward": "evaluation/returnMean",
  "train/policy_loss": "loss/policy",
  "train/kl_div": "policy/klReference",
  "train/learning_rate": "update/learningRate",
  "train/loss": "loss/total",
  "train/grad_norm": "update/gradientNorm",
};
