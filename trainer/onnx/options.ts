import { availableParallelism } from "node:os";
import type { InferenceSession } from "onnxruntime-node";

export type OrtSettings = {
  /** Number of CPU threads of a pass, default 1. Results are bitwise equal for any number. */
  readonly threads?: number | undefined;
  readonly returnsMemory?: boolean | undefined;
};

/**
 * Options of an ONNX Runtime session. By default, operators run one after another on one thread, because each run on
 * a machine has one core.
 * @param settings.returnsMemory returns memory to the system after every tensor's last use. Otherwise a session keeps
 * the memory of its first pass, and from the second pass on as much again for a memory plan.
 */
export function ortOptions(
  provider: string,
  { threads = 1, returnsMemory = false }: OrtSettings = {},
): InferenceSession.SessionOptions {
  return {
    executionProviders: [provider],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: "sequential",
    graphOptimizationLevel: "all",
    enableCpuMemArena: !returnsMemory,
    enableMemPattern: !returnsMemory,
    logSeverityLevel: 3,
    // Denormals are set to 0: softmax under a causal mask gives one for every masked weight, which costs some hundred
    // cycles. The first session sets this mode for the whole process, including JavaScript, because ONNX Runtime runs
    // in its thread.
    extra: { session: { set_denormal_as_zero: "1" } },
  };
}

/** CPU threads: `ARLARENA_THREADS` (the scheduler's), else Slurm's; at most the machine's cores, 1 if invalid. */
export function numThreads(
  environment: Readonly<Record<string, string | undefined>>,
  numCores = availableParallelism(),
): number {
  const asked = Number(environment["ARLARENA_THREADS"] ?? environment["SLURM_CPUS_PER_TASK"] ?? 1);
  return Number.isInteger(asked) && asked > 0 ? Math.min(asked, numCores) : 1;
}
