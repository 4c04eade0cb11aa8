import type { ExecutionProvider } from "#trainer/spec/run.ts";
import { makeProcessorReader } from "./processor.ts";
import { summariseSamples } from "./gpuSamples.ts";
import { watchGpus } from "./watchGpus.ts";

/** The machine that a run is on. */
export type Hardware = {
  /** What it did since the call before, as metrics; what cannot be read is absent. */
  sinceLast(): Record<string, number>;
  close(): void;
};

/** Looks at the processors, and at GPUs where the run computes on them: others' would not be about the run. */
export function watchHardware(provider: ExecutionProvider): Hardware {
  const readProcessor = makeProcessorReader();
  const gpus = provider === "cpu" ? undefined : watchGpus(process.env["CUDA_VISIBLE_DEVICES"]);
  return {
    sinceLast: () => ({ ...readProcessor(), ...summariseSamples(gpus?.take() ?? []) }),
    close: () => gpus?.close(),
  };
}
