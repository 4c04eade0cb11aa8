import { describe, expect, it } from "vitest";
import { type CrashKind, readCrash, readLastWords } from "./crash.ts";

const trace = `Traceback (most recent call last):\n  File "main_ppo.py", line 42, in <module>\n    main()\n`;

describe("readCrash", () => {
  it.each<[CrashKind, string]>([
    [
      "gpu_out_of_memory",
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB",
    ],
    [
      "gpu_out_of_memory",
      "ray.exceptions.RayTaskError(OutOfMemoryError): CUDA out of memory. Tried to allocate 96 MiB",
    ],
    ["gpu_out_of_memory", "RuntimeError: CUDA error: out of memory"],
    [
      "gpu_out_of_memory",
      "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`",
    ],
    ["out_of_memory", "MemoryError"],
    ["out_of_memory", "numpy._core._exceptions._ArrayMemoryError: Unable to allocate 74.5 GiB for an array"],
    ["out_of_memory", "ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory."],
    ["out_of_memory", "RuntimeError: DataLoader worker (pid 412) is killed by signal: Killed."],
    ["out_of_memory", "terminate called after throwing an instance of 'std::bad_alloc'"],
    ["diverged", "RuntimeError: probability tensor contains either `inf`, `nan` or element < 0"],
    ["diverged", "ValueError: loss is nan at step 12"],
    ["disk_full", "OSError: [Errno 28] No space left on device: 'checkpoints/global_step_20/optim.pt'"],
    ["disk_full", "OSError: [Errno 122] Disk quota exceeded"],
    ["gpu_failed", "RuntimeError: CUDA error: uncorrectable ECC error encountered"],
    ["gpu_failed", "RuntimeError: No CUDA GPUs are available"],
    ["cuda_error", "RuntimeError: CUDA error: device-side assert triggered"],
    ["cuda_error", "torch.AcceleratorError: CUDA error: an illegal memory access was encountered"],
    ["package_missing", "ModuleNotFoundError: No module named 'flash_attn'"],
    ["package_missing", "bash: line 1: python3.12: command not found"],
    [
      "model_unavailable",
      "OSError: Qwen/Qwen9 is not a local folder and is not a valid model identifier listed on 'https://huggingface.co/models'",
    ],
    ["spec_refused", "Could not override 'actor_rollout_ref.actor.clip_ratio_hi'."],
    ["spec_refused", "train.py: error: unrecognized arguments: --clip 0.2"],
    ["killed", "  exitcode  : -9 (pid: 1234)"],
    ["killed", "Root Cause (first observed failure): Signal 9 (SIGKILL) received by PID 1234"],
    [
      "communication_failed",
      "[rank3]: torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1970, remote process exited",
    ],
    [
      "communication_failed",
      "[E ProcessGroupNCCL.cpp:616] Watchdog caught collective operation timeout: ran 600000 ms",
    ],
  ])("reads %s from: %s", (kind, line) => {
    expect(readCrash(`${trace}${line}\n`)).toEqual({ kind, line: line.trim() });
  });

  it.each([
    ["an ordinary error", `${trace}KeyError: 'reward'`],
    ["a metric's name", "step:3 - actor/grad_norm:0.5 - perf/max_memory_allocated_gb:12.1"],
    ["nothing", ""],
  ])("finds no kind in %s", (_, text) => {
    expect(readCrash(text)).toBeUndefined();
  });

  it("names the cause, not the broken connections that follow it", () => {
    const oom = "[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.";
    const text = `${oom}\n[rank0]: torch.distributed.DistBackendError: NCCL error\nexitcode : -9\n`;
    expect(readCrash(text)).toEqual({ kind: "gpu_out_of_memory", line: oom });
  });

  it("ignores what was printed long before the end", () => {
    const progress = Array.from({ length: 300 }, (_, step) => `step ${step}`).join("\n");
    expect(readCrash(`CUDA out of memory, retrying with half the batch\n${progress}\nKeyError: 'x'`)).toBeUndefined();
  });
});

describe("readLastWords", () => {
  it.each([
    ["the last exception", `${trace}KeyError: 'reward'\n0%| | 0/10\n`, "KeyError: 'reward'"],
    ["the last line, where no exception is named", "loading\nno such device\n", "no such device"],
    ["a known crash before a later exception", "CUDA out of memory\nValueError: worker gone", "CUDA out of memory"],
  ])("returns %s", (_, text, line) => {
    expect(readLastWords(text)).toBe(line);
  });

  it("returns nothing for a program that printed nothing, and cuts a long line", () => {
    expect(readLastWords(" \n")).toBeUndefined();
    expect(readLastWords("x".repeat(1000))).toHaveLength(302);
  });
});
