import { availableParallelism } from "node:os";
import type { InferenceSession } from "onnxruntime-node";

export type OrtSettings = {
  /** Cores for a pass. Operators are distributed over them with bitwise equal results. */
  readonly threads?: number | undefined;
  /** See `ortOptions`. */
  readonly returnsMemory?: boolean | undefined;
};

/**
 * Sequential operators on one thread by default, because runs share a machine with one core each.
 * @param settings.returnsMemory returns memory to the system after every tensor's last use. Otherwise a session keeps
 * the memory of its first run, and from the second run on a plan of the same size as well.
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
    // Softmax under a causal mask makes a denormal of every masked weight, at some hundred cycles each. The first
    // session sets the mode of the whole process, JavaScript included, because ONNX Runtime runs in its thread.
    extra: { session: { set_denormal_as_zero: "1" } },
  };
}

/**
 * Number of threads for a run's passes: the cores of its slots (`ARLARENA_THREADS`), or those that Slurm assigns, but
 * not more than exist. 1 if neither is set.
 */
export function numThreads(
  environment: Readonly<Record<string, string | undefined>>,
  numCores = availableParallelism(),
): number {
  const asked = Number(environment["ARLARENA_THREADS"] ?? environment["SLURM_CPUS_PER_TASK"] ?? 1);
  return Number.isInteger(asked) && asked > 0 ? Math.min(asked, numCores) : 1;
}
