import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { type Gpu, nvidiaQuery, parseNvidia, parseRocm } from "#trainer/spec/gpus.ts";
import { askRocm } from "./readGpus.ts";

export type GpuWatch = {
  /** Samples since the previous call. */
  take(): (readonly Gpu[])[];
  close(): void;
};

const everyMs = 500;
const rocmEveryMs = 10_000;

/**
 * Samples GPUs in the background: one `nvidia-smi` process that prints lines twice a second, or occasional `rocm-smi`
 * calls where there is none. `visible` is the value of `CUDA_VISIBLE_DEVICES`: the run's own GPUs, all where unset.
 */
export function watchGpus(visible: string | undefined): GpuWatch {
  const lines: Gpu[] = [];
  const samples: Gpu[][] = [];
  let nextRocmAtMs = Infinity;
  const ids = visible === undefined || visible === "" ? [] : [`--id=${visible}`];
  const child = spawn("nvidia-smi", [...nvidiaQuery, `--loop-ms=${everyMs}`, ...ids], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  child.once("error", () => (nextRocmAtMs = 0));
  // The child must neither keep this process alive nor outlive it.
  child.unref();
  const end = (): void => void child.kill();
  process.once("exit", end);
  createInterface({ input: child.stdout, crlfDelay: Infinity }).on("line", (line) => lines.push(...parseNvidia(line)));
  return {
    take() {
      if (Date.now() >= nextRocmAtMs) {
        nextRocmAtMs = Date.now() + rocmEveryMs;
        void sampleRocm(samples);
      }
      return [...groupSamples(lines.splice(0)), ...samples.splice(0)];
    },
    close() {
      process.removeListener("exit", end);
      end();
    },
  };
}

async function sampleRocm(samples: Gpu[][]): Promise<void> {
  const gpus = parseRocm((await askRocm()) ?? "");
  if (gpus.length > 0) samples.push(gpus);
}

/** Groups lines in order of arrival into samples. A repeated GPU begins the next sample. */
export function groupSamples(lines: readonly Gpu[]): Gpu[][] {
  const samples: Gpu[][] = [];
  for (const gpu of lines) {
    const last = samples.at(-1);
    if (last === undefined || last.some(({ index }) => index === gpu.index)) samples.push([gpu]);
    else last.push(gpu);
  }
  return samples;
}
