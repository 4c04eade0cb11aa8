import { meanOf } from "#trainer/spec/averages.ts";
import { readdirSync, readFileSync } from "node:fs";
import { cpus, freemem, totalmem } from "node:os";
import { join } from "node:path";
import type { ExecutionProvider } from "#trainer/spec/run.ts";
import { type Gpu, nvidiaQuery, parseNvidia, parseRocm } from "#trainer/spec/gpus.ts";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { askRocm } from "./readGpus.ts";

export type Hardware = {
  /** Returns hardware metrics over the time since the previous call. Metrics that cannot be read are absent. */
  sinceLast(): Record<string, number>;
  close(): void;
};

/** Starts monitoring this machine's processors, and its GPUs unless the run computes on the CPU. */
export function watchHardware(provider: ExecutionProvider): Hardware {
  const readProcessor = makeProcessorReader();
  const gpus = provider === "cpu" ? undefined : watchGpus(process.env["CUDA_VISIBLE_DEVICES"]);
  return {
    sinceLast: () => ({ ...readProcessor(), ...summariseSamples(gpus?.take() ?? []) }),
    close: () => gpus?.close(),
  };
}

/**
 * Averages GPU metrics over samples; memory is the maximum. Each sample contains every GPU of the run once. A sum
 * over GPUs omits samples in which one GPU does not report its value. A metric without a value is absent.
 */
export function summariseSamples(samples: readonly (readonly Gpu[])[]): Record<string, number> {
  const told = (value: (gpus: readonly Gpu[]) => number): number[] => samples.map(value).filter(Number.isFinite);
  const mebibytes = Math.max(...told((gpus) => sumOfAll(gpus, "memoryUsedMb")));
  return onlyFinite({
    "hardware/gpuUtilisation": meanOf(told((gpus) => meanOf(toldBy(gpus, "utilisation")))),
    "hardware/gpuMemoryMb": (mebibytes * 2 ** 20) / 1e6,
    "hardware/gpuTemperature": meanOf(told((gpus) => Math.max(...toldBy(gpus, "temperatureCelsius")))),
    "hardware/gpuPower": meanOf(told((gpus) => sumOfAll(gpus, "powerWatts"))),
  });
}

type Quantity = "utilisation" | "temperatureCelsius" | "powerWatts" | "memoryUsedMb";

function toldBy(gpus: readonly Gpu[], quantity: Quantity): number[] {
  return gpus.map((gpu) => gpu[quantity]).filter((value) => value !== null);
}

/** Returns the sum over all GPUs; NaN if one of them does not report its value. */
function sumOfAll(gpus: readonly Gpu[], quantity: Quantity): number {
  const values = toldBy(gpus, quantity);
  return values.length === gpus.length && values.length > 0 ? sum(values) : NaN;
}

type GpuWatch = {
  take(): (readonly Gpu[])[];
  close(): void;
};

const everyMs = 500;
const rocmEveryMs = 10_000;

/**
 * Samples GPU utilisation, power, memory and temperature. `nvidia-smi` prints them twice a second; if it does not
 * exist, `take` starts `rocm-smi` at intervals of 10 s or more. `visible` is the value of `CUDA_VISIBLE_DEVICES`;
 * without a value, `nvidia-smi` reports all GPUs.
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
  // The child process must not keep this process alive, nor outlive it.
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

/** Groups `nvidia-smi` lines, one per GPU, into samples of all GPUs. A repeated GPU index begins the next sample. */
export function groupSamples(lines: readonly Gpu[]): Gpu[][] {
  const samples: Gpu[][] = [];
  for (const gpu of lines) {
    const last = samples.at(-1);
    if (last === undefined || last.some(({ index }) => index === gpu.index)) samples.push([gpu]);
    else last.push(gpu);
  }
  return samples;
}

/** Returns processor metrics: current values, or means since the previous call. Unreadable metrics are absent. */
type ProcessorReader = () => Record<string, number>;

/** Makes a reader of processor load, temperature and power from Linux's `/proc` and `/sys` below `root`. */
export function makeProcessorReader(root = "/", now: () => number = () => performance.now()): ProcessorReader {
  const counters = listEnergyCounters(root);
  const sensors = listSensors(root);
  let busy = readBusy(root);
  let energy = counters.map(({ path }) => readNumber(path));
  let atMs = now();
  return () => {
    const [busyBefore, energyBefore, seconds] = [busy, energy, (now() - atMs) / 1000];
    busy = readBusy(root);
    energy = counters.map(({ path }) => readNumber(path));
    atMs = now();
    const microjoules = counters.map(({ range }, i) => gained(energyBefore[i] ?? NaN, energy[i] ?? NaN, range));
    return onlyFinite({
      // The ratio is capped at 1, because Linux may decrease the time that it counted as waiting for a disk.
      "hardware/processorUtilisation": Math.min(1, (busy.busy - busyBefore.busy) / (busy.all - busyBefore.all)),
      "hardware/processorTemperature": sensors.length > 0 ? Math.max(...sensors.map(readNumber)) / 1000 : NaN,
      "hardware/processorPower": microjoules.length > 0 ? sum(microjoules) / 1e6 / seconds : NaN,
      "hardware/memoryUsedMb": (totalmem() - freemem()) / 1e6,
    });
  };
}

/** Reads total and busy processor time since boot, summed over cores, from Linux's `/proc/stat`, else from Node.js. */
function readBusy(root: string): { busy: number; all: number } {
  const [line = ""] = readText(join(root, "proc/stat")).split("\n");
  // The columns of the line are: user nice system idle iowait irq softirq steal. User time includes guests.
  const times = line.startsWith("cpu ") ? line.split(/\s+/).slice(1, 9).map(Number) : undefined;
  if (times) {
    const all = sum(times);
    return { all, busy: all - (times[3] ?? 0) - (times[4] ?? 0) };
  }
  const each = cpus().map(({ times }) => times);
  const all = sum(each.map(({ user, nice, sys, idle, irq }) => user + nice + sys + idle + irq));
  return { all, busy: all - sum(each.map(({ idle }) => idle)) };
}

/** Lists the energy counters of processor packages (RAPL), in microjoules. Counters restart at 0 after `range`. */
function listEnergyCounters(root: string): { path: string; range: number }[] {
  const folder = join(root, "sys/class/powercap");
  return listNames(folder)
    .filter((name) => /^intel-rapl:\d+$/.test(name) && readText(join(folder, name, "name")).startsWith("package"))
    .map((name) => ({
      path: join(folder, name, "energy_uj"),
      range: readNumber(join(folder, name, "max_energy_range_uj")),
    }))
    .filter(({ path }) => Number.isFinite(readNumber(path)));
}

function gained(before: number, after: number, range: number): number {
  return after >= before ? after - before : after - before + range;
}

/** Lists the files of processor temperature sensors, which contain millidegrees Celsius. */
function listSensors(root: string): string[] {
  const folder = join(root, "sys/class/hwmon");
  return listNames(folder)
    .filter((name) => /^(coretemp|k10temp|zenpower|cpu_thermal)\s*$/.test(readText(join(folder, name, "name"))))
    .flatMap((name) =>
      listNames(join(folder, name))
        .filter((file) => /^temp\d+_input$/.test(file))
        .map((file) => join(folder, name, file)),
    )
    .filter((path) => Number.isFinite(readNumber(path)));
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function readNumber(path: string): number {
  const text = readText(path).trim();
  return text === "" ? NaN : Number(text);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, x) => total + x, 0);
}

function onlyFinite(values: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).filter(([, x]) => Number.isFinite(x)));
}
