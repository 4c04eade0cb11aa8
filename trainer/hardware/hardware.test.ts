import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import type { Gpu } from "#trainer/spec/gpus.ts";
import { isMeasured, isMetricKey } from "#trainer/spec/metric.ts";
import { groupSamples, makeProcessorReader, summariseSamples, watchGpus } from "./hardware.ts";
import { readGpus } from "./readGpus.ts";
import { writePrograms } from "./testing/programs.ts";

const folder = mkdtempSync(join(tmpdir(), "arlarena-hardware-"));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => void vi.unstubAllEnvs());

/** Replaces the programs on PATH by shell scripts. */
const usePrograms = (name: string, scripts: Readonly<Record<string, string>>): void =>
  void vi.stubEnv("PATH", writePrograms(join(folder, name), scripts));

const gpu = (index: number, more: Partial<Gpu> = {}): Gpu => ({
  index,
  name: "NVIDIA H200",
  driver: "580.65.06",
  memoryTotalMb: 143_771,
  memoryUsedMb: 1000,
  utilisation: 0.5,
  temperatureCelsius: 40,
  powerWatts: 300,
  ...more,
});

describe("what the GPUs of this machine tell", () => {
  it("comes from nvidia-smi, also where it fails for one of them", async () => {
    usePrograms("works", {
      "nvidia-smi": `echo "0, 580.65.06, 143771, 1000, 50, 40, 300.00, NVIDIA H200"
echo "Unable to determine the device handle for GPU0000:02:00.0: Unknown Error"
exit 15`,
    });
    expect(await readGpus()).toEqual({ gpus: [gpu(0)], problem: null });
  });

  it("is nothing, and no problem, without such a program", async () => {
    usePrograms("none", {});
    expect(await readGpus()).toEqual({ gpus: [], problem: null });
  });

  it("is nothing and says why where the driver does not answer", async () => {
    const words =
      "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.";
    usePrograms("broken", { "nvidia-smi": `echo "${words}"; echo; exit 9` });
    expect(await readGpus()).toEqual({ gpus: [], problem: `nvidia-smi: ${words}` });
    usePrograms("empty", { "nvidia-smi": 'echo "No devices were found"; exit 6' });
    expect(await readGpus()).toEqual({ gpus: [], problem: "nvidia-smi: No devices were found" });
  });

  it("comes from rocm-smi where nvidia-smi has none", async () => {
    usePrograms("amd", {
      "nvidia-smi": "exit 6",
      "rocm-smi": `echo '{"card0": {"Card Series": "MI300X", "GPU use (%)": "7"}, "system": {"Driver version": "6.3.6"}}'`,
    });
    const { gpus, problem } = await readGpus();
    expect(gpus).toMatchObject([{ name: "MI300X", utilisation: 0.07, driver: "6.3.6", powerWatts: null }]);
    expect(problem).toBeNull();
  });
});

describe("samples of a run's GPUs", () => {
  it("are of those that the run has, and go on until they are no longer wanted", async () => {
    // This program prints the requested GPUs as the index of a GPU, until it is stopped.
    usePrograms("loop", {
      "nvidia-smi": `for arg in "$@"; do case $arg in --id=*) id=\${arg#--id=};; esac; done
while :; do echo "\${id:-9}, 580.65.06, 143771, 1000, 50, 40, 300.00, NVIDIA H200"; sleep 0.05; done`,
    });
    for (const [visible, index] of [
      ["3", 3],
      [undefined, 9],
    ] as const) {
      const watch = watchGpus(visible);
      let samples: (readonly Gpu[])[] = [];
      for (let i = 0; i < 100 && samples.length < 2; i++) {
        await sleep(50);
        samples = [...samples, ...watch.take()];
      }
      watch.close();
      expect(samples.slice(0, 2)).toEqual([[gpu(index)], [gpu(index)]]);
    }
  });

  it("are none where no program tells them", async () => {
    usePrograms("nothing", {});
    const watch = watchGpus(undefined);
    await sleep(100);
    expect(watch.take()).toEqual([]);
    watch.close();
  });

  it("begin anew where a GPU comes again", () => {
    const lines = [gpu(0), gpu(1), gpu(0), gpu(1), gpu(0)];
    expect(groupSamples(lines)).toEqual([[gpu(0), gpu(1)], [gpu(0), gpu(1)], [gpu(0)]]);
  });

  it("come to metrics of the catalogue: means of time, sums over GPUs, the hottest of them", () => {
    const samples = [
      [gpu(0), gpu(1, { utilisation: 1, temperatureCelsius: 60, memoryUsedMb: 2000 })],
      [gpu(0, { utilisation: 0 }), gpu(1, { utilisation: 0, powerWatts: 100, memoryUsedMb: 500 })],
    ];
    const values = summariseSamples(samples);
    expect(values).toEqual({
      "hardware/gpuUtilisation": 0.375,
      "hardware/gpuMemoryMb": 3000 * 1.048576,
      "hardware/gpuTemperature": 50,
      "hardware/gpuPower": 500,
    });
    expect(Object.keys(values).every((key) => isMetricKey(key) && isMeasured(key))).toBe(true);
  });

  it("leave out what is not told, also of a sum", () => {
    expect(summariseSamples([])).toEqual({});
    const mig = { utilisation: null, powerWatts: null };
    expect(Object.keys(summariseSamples([[gpu(0, mig), gpu(1)]]))).toEqual([
      "hardware/gpuUtilisation",
      "hardware/gpuMemoryMb",
      "hardware/gpuTemperature",
    ]);
    expect(Object.keys(summariseSamples([[gpu(0, mig)]]))).toEqual(["hardware/gpuMemoryMb", "hardware/gpuTemperature"]);
  });
});

describe("what the processors tell", () => {
  const root = join(folder, "root");
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };

  it("is busy time, energy per time and the hottest sensor since the call before", () => {
    put("proc/stat", "cpu  100 0 100 700 100 0 0 0 0 0\ncpu0 1 1 1 1\n");
    put("sys/class/powercap/intel-rapl:0/name", "package-0\n");
    put("sys/class/powercap/intel-rapl:0/energy_uj", "1000000\n");
    put("sys/class/powercap/intel-rapl:0/max_energy_range_uj", "262143328850\n");
    put("sys/class/powercap/intel-rapl:1/name", "package-1\n");
    put("sys/class/powercap/intel-rapl:1/energy_uj", "262143328850\n");
    put("sys/class/powercap/intel-rapl:1/max_energy_range_uj", "262143328850\n");
    // This counter is a subdomain of the first package, whose energy already includes it.
    put("sys/class/powercap/intel-rapl:0:0/name", "core\n");
    put("sys/class/powercap/intel-rapl:0:0/energy_uj", "5\n");
    put("sys/class/hwmon/hwmon0/name", "nvme\n");
    put("sys/class/hwmon/hwmon0/temp1_input", "90000\n");
    put("sys/class/hwmon/hwmon1/name", "coretemp\n");
    put("sys/class/hwmon/hwmon1/temp1_input", "51000\n");
    put("sys/class/hwmon/hwmon1/temp2_input", "54500\n");
    let ms = 0;
    const read = makeProcessorReader(root, () => ms);
    ms = 2000;
    put("proc/stat", "cpu  130 0 120 750 100 0 0 0 0 0\n");
    put("sys/class/powercap/intel-rapl:0/energy_uj", "41000000\n");
    // This counter wrapped around.
    put("sys/class/powercap/intel-rapl:1/energy_uj", "60000000\n");
    expect(read()).toEqual({
      "hardware/processorUtilisation": 0.5,
      "hardware/processorPower": 50,
      "hardware/processorTemperature": 54.5,
      "hardware/memoryUsedMb": expect.any(Number),
    });
  });

  it("lacks what cannot be read, and is never zero for that", () => {
    const read = makeProcessorReader(join(folder, "nowhere"));
    const keys = Object.keys(read());
    expect(keys).toContain("hardware/memoryUsedMb");
    expect(keys).not.toContain("hardware/processorPower");
    expect(keys).not.toContain("hardware/processorTemperature");
  });

  it("is of this machine without a root", async () => {
    const read = makeProcessorReader();
    await sleep(50);
    const { "hardware/processorUtilisation": utilisation = NaN } = read();
    expect(utilisation).toBeGreaterThanOrEqual(0);
    expect(utilisation).toBeLessThanOrEqual(1);
  });
});
