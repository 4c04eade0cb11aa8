import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, it, onTestFinished, vi } from "vitest";
import { writePrograms } from "#trainer/hardware/testing/programs.ts";
import { runExternal } from "./runExternal.ts";

// A stand-in: it prints the requested GPU twenty times a second, half used, until it is stopped.
const smi = `for arg in "$@"; do case $arg in --id=*) id=\${arg#--id=};; esac; done
while :; do echo "$id, 580.65.06, 143771, 1000, 50, 40, 300.00, NVIDIA H200"; sleep 0.05; done`;
const program = `let step = 0;
const timer = setInterval(() => { console.log(JSON.stringify({ step: ++step, loss: 1 })); if (step === 3) clearInterval(timer); }, 700);`;

async function train(devices: string) {
  const folder = await mkdtemp(join(tmpdir(), "arlarena-leased-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  vi.stubEnv("PATH", writePrograms(join(folder, "bin"), { "nvidia-smi": smi }));
  vi.stubEnv("CUDA_VISIBLE_DEVICES", devices);
  onTestFinished(() => void vi.unstubAllEnvs());
  const argv = [process.execPath, "-e", program];
  const stream = new PassThrough().resume();
  const exit = await runExternal({
    job: { name: "mine", argv, folder, environment: {}, metrics: { kind: "jsonLines" }, notes: [] },
    folder,
    specHash: "h",
    resumeFrom: undefined,
    stop: new AbortController().signal,
    output: { stdout: stream, stderr: stream },
  });
  expect(exit).toBe(0);
  const lines = (await readFile(join(folder, "events.jsonl"), "utf8")).trim().split("\n");
  return lines.map((line) => JSON.parse(line)).filter(({ type }) => type === "metrics");
}

it("logs utilisation and memory of the GPU that an attempt has leased", async () => {
  const steps = await train("3");
  expect(new Set(steps.map(({ iteration }) => iteration))).toEqual(new Set([1, 2, 3]));
  const values = Object.assign({}, ...steps.map((step) => step.values));
  expect(values).toMatchObject({ "loss/total": 1, "hardware/gpuUtilisation": 0.5, "hardware/gpuPower": 300 });
  expect(values["hardware/gpuMemoryMb"]).toBeCloseTo((1000 * 2 ** 20) / 1e6);
});

it("logs nothing of the machine without a lease", async () => {
  const keys = (await train("")).flatMap(({ values }) => Object.keys(values));
  expect(keys.filter((key) => key.startsWith("hardware/"))).toEqual([]);
  expect(keys).toContain("loss/total");
});
