/** Kinds of crashes that a program's own output reveals. */
export type CrashKind =
  | "gpu_out_of_memory"
  | "out_of_memory"
  | "diverged"
  | "disk_full"
  | "gpu_failed"
  | "cuda_error"
  | "package_missing"
  | "model_unavailable"
  | "spec_refused"
  | "killed"
  | "communication_failed";

/**
 * Words of each kind, in order of priority: when one process runs out of memory, the others report broken connections.
 * Messages are those of Python, PyTorch, NCCL, vLLM, Ray, Hydra and huggingface_hub.
 */
const words: readonly (readonly [CrashKind, RegExp])[] = [
  [
    "gpu_out_of_memory",
    /\b(CUDA|HIP|XPU) out of memory\b|(CUDA|HIP|cuda runtime) error[^:]*: out of memory|cudaErrorMemoryAllocation|CUBLAS_STATUS_ALLOC_FAILED|No available memory for the cache blocks|less than desired GPU memory utilization|larger than the available KV cache memory|Failed to allocate memory for requested buffer/i,
  ],
  [
    "out_of_memory",
    /(^|[\s(.])(\w*MemoryError|OutOfMemoryError)\b|std::bad_alloc|Cannot allocate memory|DefaultCPUAllocator: (can't|not enough)|out of shared memory|node running low on memory|killed by signal: Killed|heap out of memory/,
  ],
  [
    "diverged",
    /probability tensor contains either `?inf`?, `?nan`?|\bFloatingPointError\b|\b(loss|gradients?|grad[_ ]norm|logits) (is|are|was|were|became|contains?) (nan|inf|not finite|non-finite)|non-finite (loss|gradient|norm)|returned nan values/i,
  ],
  ["disk_full", /no space left on device|disk quota exceeded|PytorchStreamWriter failed writing file/i],
  [
    "gpu_failed",
    /uncorrectable ECC error|fallen off the bus|no CUDA-capable device|No CUDA GPUs are available|CUDA driver version is insufficient|Found no NVIDIA driver|CUDA driver initialization failed|cudaGetDeviceCount|Unable to determine the device handle|NVML|CUDA error: (system not yet initialized|hardware stack error|unknown error)/,
  ],
  [
    "cuda_error",
    /device-side assert|illegal memory access|CUDA error: (unspecified launch failure|misaligned address|an illegal instruction|invalid device function|no kernel image)|CUBLAS_STATUS_|CUDNN_STATUS_/,
  ],
  [
    "package_missing",
    /\b(ModuleNotFoundError|ImportError)\b|: command not found|No module named |Cannot find (module|package) /,
  ],
  [
    "model_unavailable",
    /GatedRepo|RepositoryNotFound|RevisionNotFound|LocalEntryNotFound|HfHubHTTPError|couldn't connect to '?https:\/\/huggingface|is not a local folder and is not a valid model identifier|does not appear to have a file named|OfflineModeIsEnabled/,
  ],
  [
    "spec_refused",
    /Could not override '|Key '[^']*' is not in struct|ConfigCompositionException|ConfigAttributeError|ConfigKeyError|ConfigTypeError|ValidationError: .*(Value|Invalid)|unrecognized arguments|the following arguments are required|invalid choice:/,
  ],
  ["killed", /signal SIGKILL|Signals\.SIGKILL|\(SIGKILL\)|exitcode\s*:\s*-9\b|exit code 137\b/],
  [
    "communication_failed",
    /\b(NCCL|RCCL|Gloo)\b.*(error|timeout|abort|failed)|collective operation timeout|Dist(Network|Store|Backend)Error|Connection (reset|closed|refused)( by peer)?|ECONNREFUSED|EADDRINUSE|Address already in use|ActorDiedError|RayActorError|RaySystemError/i,
  ],
];

/** Number of last lines of a program's output that are searched; a warning long before the end is no reason. */
const maxLines = 200;
const maxChars = 300;

/** Reads the kind of a crash from the end of a program's output, and the line that shows it; undefined if unknown. */
export function readCrash(output: string): { kind: CrashKind; line: string } | undefined {
  const lines = lastLines(output);
  for (const [kind, pattern] of words) {
    const line = lines.find((one) => pattern.test(one));
    if (line !== undefined) return { kind, line };
  }
  return undefined;
}

/** Returns the line that says best why a program ended: that of a known crash, or its last exception, or its last. */
export function readLastWords(output: string): string | undefined {
  const lines = lastLines(output);
  return readCrash(output)?.line ?? lines.findLast((line) => /^[\w.]*(Error|Exception)\b/.test(line)) ?? lines.at(-1);
}

function lastLines(output: string): string[] {
  const lines = output.split(/[\r\n]+/).map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .slice(-maxLines)
    .map((line) => (line.length > maxChars ? `${line.slice(0, maxChars)} …` : line));
}
