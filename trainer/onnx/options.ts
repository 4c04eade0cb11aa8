import type { InferenceSession } from "onnxruntime-node";

export type OrtSettings = {
  /** Cores that a pass may use: operators are shared out among them, and their results stay the same to the last bit. */
  readonly threads?: number | undefined;
  /** See `ortOptions`. */
  readonly returnsMemory?: boolean | undefined;
};

/**
 * One operator after the other, on one thread unless more are asked for: runs share a machine, one core each.
 * @param settings.returnsMemory to the system after every tensor's last use. Else a session holds what its first run took, and
 * from the second run on a plan of the same size beside it.
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
    // Softmax under a causal mask makes a denormal of every masked weight, at some hundred cycles each. The first session
    // of a process decides, and for JavaScript's arithmetic too: ONNX Runtime runs in its thread.
    extra: { session: { set_denormal_as_zero: "1" } },
  };
}
