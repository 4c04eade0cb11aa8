import type { InferenceSession } from "onnxruntime-node";

/**
 * One thread, sequential: runs share a machine, one core each.
 * @param returnsMemory to the system after every tensor's last use. Else a session holds what its first run took, and
 * from the second run on a plan of the same size beside it.
 */
export function ortOptions(provider: string, returnsMemory = false): InferenceSession.SessionOptions {
  return {
    executionProviders: [provider],
    intraOpNumThreads: 1,
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
