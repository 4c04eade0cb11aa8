import { readdirSync, readFileSync } from "node:fs";
import { cpus, freemem, totalmem } from "node:os";
import { join } from "node:path";

/** Reads metrics of the processors, averaged since the previous call or current; unreadable ones are absent. */
export type ProcessorReader = () => Record<string, number>;

/** Reads `/proc` and `/sys` below `root`, a few files per call. */
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
      // Linux may reduce time that it counted as waiting for a disk.
      "hardware/processorUtilisation": Math.min(1, (busy.busy - busyBefore.busy) / (busy.all - busyBefore.all)),
      "hardware/processorTemperature": sensors.length > 0 ? Math.max(...sensors.map(readNumber)) / 1000 : NaN,
      "hardware/processorPower": microjoules.length > 0 ? sum(microjoules) / 1e6 / seconds : NaN,
      "hardware/memoryUsedMb": (totalmem() - freemem()) / 1e6,
    });
  };
}

/** Total and busy time of all cores so far. Linux reports the sum in the first line of a file. */
function readBusy(root: string): { busy: number; all: number } {
  const [line = ""] = readText(join(root, "proc/stat")).split("\n");
  // Columns: user nice system idle iowait irq softirq steal; guests are counted in user.
  const times = line.startsWith("cpu ") ? line.split(/\s+/).slice(1, 9).map(Number) : undefined;
  if (times) {
    const all = sum(times);
    return { all, busy: all - (times[3] ?? 0) - (times[4] ?? 0) };
  }
  const each = cpus().map(({ times }) => times);
  const all = sum(each.map(({ user, nice, sys, idle, irq }) => user + nice + sys + idle + irq));
  return { all, busy: all - sum(each.map(({ idle }) => idle)) };
}

/** Energy counters of the processor packages (RAPL, also AMD's), in microjoules. They wrap around at their range. */
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

/** Temperature sensors of processors, in millidegrees Celsius. */
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
