import { fraction, type Metric } from "./entry.ts";

/** State of the machine during the run. Absent where it cannot be read. */
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
