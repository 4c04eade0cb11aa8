import type { ExecutionProvider } from "#trainer/spec/run.ts";
import { makeProcessorReader } from "./processor.ts";
import { type Gpu, nvidiaQuery, parseNvidia, parseRocm } from "#trainer/spec/gpus.ts";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { askRocm } from "./readGpus.ts";

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

const bytesPerMebibyte = 2 ** 20;

/**
 * Metrics from samples of a run's GPUs; each sample contains every GPU once. A value missing in all samples is absent.
 * A sum over GPUs is absent too if one GPU does not report it.
 */
export function summariseSamples(samples: readonly (readonly Gpu[])[]): Record<string, number> {
  const told = (values: (gpus: readonly Gpu[]) => number | undefined): number[] =>
    samples.map(values).filter((value) => value !== undefined);
  const utilisation = told((gpus) => meanOf(toldBy(gpus, "utilisation")));
  const temperature = told((gpus) => largestOf(toldBy(gpus, "temperatureCelsius")));
  const power = told((gpus) => sumOfAll(gpus, "powerWatts"));
  const memory = told((gpus) => sumOfAll(gpus, "memoryUsedMb"));
  const values = {
    "hardware/gpuUtilisation": meanOf(utilisation),
    "hardware/gpuMemoryMb": toMegabytes(largestOf(memory)),
    "hardware/gpuTemperature": meanOf(temperature),
    "hardware/gpuPower": meanOf(power),
  };
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

type Quantity = "utilisation" | "temperatureCelsius" | "powerWatts" | "memoryUsedMb";

function toldBy(gpus: readonly Gpu[], quantity: Quantity): number[] {
  return gpus.map((gpu) => gpu[quantity]).filter((value) => value !== null);
}

function sumOfAll(gpus: readonly Gpu[], quantity: Quantity): number | undefined {
  const values = toldBy(gpus, quantity);
  return values.length === gpus.length && values.length > 0 ? values.reduce((total, x) => total + x, 0) : undefined;
}

function meanOf(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((total, x) => total + x, 0) / values.length;
}

function largestOf(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.max(...values);
}

function toMegabytes(mebibytes: number | undefined): number | undefined {
  return mebibytes === undefined ? undefined : (mebibytes * bytesPerMebibyte) / 1e6;
}

type GpuWatch = {
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
