import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { type Gpu, nvidiaQuery, parseNvidia, parseRocm } from "#trainer/spec/gpus.ts";
import { askRocm } from "./readGpus.ts";

export type GpuWatch = {
  /** The samples since the call before. */
  take(): (readonly Gpu[])[];
  close(): void;
};

const everyMs = 500;
const rocmEveryMs = 10_000;

/**
 * Samples GPUs while others work: one process of `nvidia-smi` that prints lines twice a second, or, where there is none,
 * `rocm-smi` now and then. `visible` is what `CUDA_VISIBLE_DEVICES` says: the run's own GPUs, all where it says nothing.
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
  // It must keep nobody alive who has nothing else to do, nor live on itself.
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

/** Lines in the order in which they came, as samples: a GPU that comes again begins the next one. */
export function groupSamples(lines: readonly Gpu[]): Gpu[][] {
  const samples: Gpu[][] = [];
  for (const gpu of lines) {
    const last = samples.at(-1);
    if (last === undefined || last.some(({ index }) => index === gpu.index)) samples.push([gpu]);
    else last.push(gpu);
  }
  return samples;
}
