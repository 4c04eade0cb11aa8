import { fraction, type Metric, timing } from "./entry.ts";

/** Metrics of the machine during the run. Metrics that cannot be measured are absent. */
export const hardwareMetrics = {
  "hardware/gpuUtilisation": fraction(
    "GPU utilisation",
    "up",
    "Share of the time in which the run's GPUs were computing: mean of the samples since the line before, and of its GPUs.",
  ),
  "hardware/gpuMemoryMb": {
    title: "GPU memory in use",
    unit: "MB",
    better: "down",
    meaning:
      "Memory of the run's GPUs that is in use, by whomever: the largest sample since the line before, summed over its GPUs.",
  },
  "hardware/gpuTemperature": {
    title: "GPU temperature",
    unit: "°C",
    better: "down",
    meaning: "The hottest of the run's GPUs: mean of the samples since the line before.",
  },
  "hardware/gpuPower": {
    title: "GPU power",
    unit: "W",
    better: "down",
    meaning: "Power of the run's GPUs together, mean of the samples since the line before.",
  },
  "hardware/processorUtilisation": fraction(
    "Processor utilisation",
    "none",
    "Share of the machine's cores that were busy since the line before, with this run or anything else.",
  ),
  "hardware/processorTemperature": {
    title: "Processor temperature",
    unit: "°C",
    better: "down",
    meaning: "The hottest sensor of the machine's processors when the line was written.",
  },
  "hardware/processorPower": {
    title: "Processor power",
    unit: "W",
    better: "down",
    meaning: "Mean power of the processor packages since the line before (RAPL), whatever ran on them.",
  },
  "hardware/memoryUsedMb": {
    title: "Machine memory in use",
    unit: "MB",
    better: "down",
    meaning: "Memory of the machine that was taken when the line was written, by this run or anything else.",
  },
} as const satisfies Record<string, Metric>;

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
