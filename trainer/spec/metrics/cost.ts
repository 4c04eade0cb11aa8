import { timing, type Metric } from "./entry.ts";

/** Cost of an iteration. */
export const costMetrics = {
  "time/iterationMs": timing("Time per iteration", "Wall time of the whole iteration, evaluation included."),
  "time/rolloutMs": timing("Rollout time", "Wall time of sampling and environments."),
  "time/environmentMs": timing(
    "Environment time",
    "Wall time of tasks made, prompts written and actions taken, a part of the rollout time.",
  ),
  "time/logProbsMs": timing("Log-probability time", "Wall time of the passes for π_old and π_ref."),
  "time/updateMs": timing("Update time", "Wall time of gradients and optimizer steps."),
  "time/evaluationMs": timing("Evaluation time", "Wall time of the evaluation after this iteration."),
  "time/criticMs": timing("Critic time", "Wall time of values and critic updates."),
  "time/checkpointMs": timing("Checkpoint time", "Wall time of writing the checkpoint."),
  "memory/peakMb": {
    title: "Peak memory",
    unit: "MB",
    better: "down",
    meaning: "Largest resident size of the trainer's process so far.",
  },
  "throughput/trainedTokensPerSecond": {
    title: "Training throughput",
    unit: "tokens/s",
    better: "up",
    meaning: "Prompt and response tokens through gradient passes per second of update time.",
  },
  "throughput/sampledTokensPerSecond": {
    title: "Sampling throughput",
    unit: "tokens/s",
    better: "up",
    meaning: "Response tokens sampled per second of rollout time.",
  },
} as const satisfies Record<string, Metric>;
