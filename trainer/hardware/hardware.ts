import type { ExecutionProvider } from "#trainer/spec/run.ts";
import { makeProcessorReader } from "./processor.ts";
import { summariseSamples } from "./gpuSamples.ts";
import { watchGpus } from "./watchGpus.ts";

/** Monitor of a run's machine. */
export type Hardware = {
  /** Metrics since the previous call; unreadable values are absent. */
  sinceLast(): Record<string, number>;
  close(): void;
};

/** Monitors the processors, and the GPUs where the run computes on them: other GPUs do not concern the run. */
export function watchHardware(provider: ExecutionProvider): Hardware {
  const readProcessor = makeProcessorReader();
  const gpus = provider === "cpu" ? undefined : watchGpus(process.env["CUDA_VISIBLE_DEVICES"]);
  return {
    sinceLast: () => ({ ...readProcessor(), ...summariseSamples(gpus?.take() ?? []) }),
    close: () => gpus?.close(),
  };
}
