import { fraction, type Metric, timing } from "./entry.ts";

/** Metrics of the machine's processors and GPUs during the run. Those that cannot be measured are absent. */
export const hardwareMetrics = {
  "hardware/gpuUtilisation": fraction(
    "GPU utilisation",
    "up",
    "Share of time in which the run's GPUs were busy. Mean over the GPUs and over the samples since metrics were last logged.",
  ),
  "hardware/gpuMemoryMb": {
    title: "GPU memory in use",
    unit: "MB",
    min: 0,
    better: "down",
    meaning:
      "Memory in use on the run's GPUs by any process: the largest sample since metrics were last logged, summed over the GPUs.",
  },
  "hardware/gpuTemperature": {
    title: "GPU temperature",
    unit: "°C",
    better: "down",
    meaning: "Temperature of the run's hottest GPU, mean of the samples since metrics were last logged.",
  },
  "hardware/gpuPower": {
    title: "GPU power",
    unit: "W",
    min: 0,
    better: "down",
    meaning: "Total power of the run's GPUs, mean of the samples since metrics were last logged.",
  },
  "hardware/processorUtilisation": fraction(
    "Processor utilisation",
    "none",
    "Share of the machine's cores that any process kept busy since metrics were last logged.",
  ),
  "hardware/processorTemperature": {
    title: "Processor temperature",
    unit: "°C",
    better: "down",
    meaning: "Temperature of the machine's hottest processor sensor when the metrics were logged.",
  },
  "hardware/processorPower": {
    title: "Processor power",
    unit: "W",
    min: 0,
    better: "down",
    meaning: "Mean power of the machine's processors (RAPL) since metrics were last logged, for all processes.",
  },
  "hardware/memoryUsedMb": {
    title: "Machine memory in use",
    unit: "MB",
    min: 0,
    better: "down",
    meaning: "Memory that all processes used on the machine when the metrics were logged.",
  },
} as const satisfies Record<string, Metric>;

export const costMetrics = {
  "time/iterationMs": timing("Time per iteration", "Wall time of the whole iteration, evaluation included."),
  "time/rolloutMs": timing("Rollout time", "Wall time of sampling and environments."),
  "time/environmentMs": timing(
    "Environment time",
    "Wall time of creating tasks, writing prompts and executing actions; it is part of the rollout time.",
  ),
  "time/logProbsMs": timing("Log-probability time", "Wall time of the forward passes for π_old and π_ref."),
  "time/updateMs": timing("Update time", "Wall time of gradients and optimizer steps."),
  "time/evaluationMs": timing("Evaluation time", "Wall time of the evaluation after this iteration."),
  "time/criticMs": timing("Critic time", "Wall time of value predictions and critic updates."),
  "time/checkpointMs": timing("Checkpoint time", "Wall time of writing the checkpoint."),
  "memory/peakMb": {
    title: "Peak memory",
    unit: "MB",
    min: 0,
    better: "down",
    meaning: "Largest resident memory of the trainer's process so far.",
  },
  "throughput/trainedTokensPerSecond": {
    title: "Training throughput",
    unit: "tokens/s",
    min: 0,
    better: "up",
    meaning: "Prompt and response tokens in gradient passes, per second of update time.",
  },
  "throughput/sampledTokensPerSecond": {
    title: "Sampling throughput",
    unit: "tokens/s",
    min: 0,
    better: "up",
    meaning: "Response tokens sampled per second of rollout time.",
  },
} as const satisfies Record<string, Metric>;
