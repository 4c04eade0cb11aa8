// @module-tag soak
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { RunEvent } from "#trainer/spec/event.ts";
import { isMeasured } from "#trainer/spec/metric.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { tinySpec } from "./testing/tinySpec.ts";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "arlarena-webgpu-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Folder of the Vulkan library in Debian's chromium package, which computes on the CPU. */
const libraries = "/usr/lib/chromium";
const driver = join(libraries, "vk_swiftshader_icd.json");
const isThere = existsSync(driver) && existsSync(join(libraries, "libvulkan.so.1"));

// WebGPU runs in a separate process, because the loader reads the library path at process start.
const env = { ...process.env, LD_LIBRARY_PATH: libraries, VK_ICD_FILENAMES: driver };

async function metricsOn(provider: "cpu" | "webgpu"): Promise<[name: string, value: number][]> {
  const spec = tinySpec(methodOf("grpo"), 1, {
    initialisation: { kind: "demonstrations", numEpisodes: 4, epochs: 2 },
    // No episode succeeds yet, so gradients are noise of 1e-7. With the usual ε of 1e-8, AdamW would amplify this noise
    // to full steps.
    optimizer: { epsilon: 1e-5 },
    evaluation: { every: 1, numEpisodes: 1 },
    execution: { provider },
  });
  const specPath = join(folder, `${provider}.json`);
  writeFileSync(specPath, JSON.stringify(spec));
  const command = ["--import", "tsx", join(root, "trainer/run/main.ts"), specPath, join(folder, provider)];
  await promisify(execFile)(process.execPath, command, { cwd: root, env });
  const lines = readFileSync(join(folder, provider, "events.jsonl"), "utf8")
    .trim()
    .split("\n");
  return lines
    .map((line) => RunEvent.parse(JSON.parse(line)))
    .flatMap((event) => (event.type === "metrics" ? Object.entries(event.values) : []))
    .filter((pair): pair is [string, number] => typeof pair[1] === "number" && !isMeasured(pair[0]));
}

/** Runs a program of the folder `testing` and returns its output. */
async function outputOf(program: string): Promise<unknown> {
  const script = join(root, `trainer/run/testing/${program}.ts`);
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", script], { cwd: root, env });
  return JSON.parse(stdout);
}

const Learned = z.object({
  reports: z.array(z.object({ gradientNorm: z.number().nullable(), skipped: z.boolean() })),
  ...Object.fromEntries(["learned", "start", "m", "v"].map((name) => [name, z.array(z.number())])),
  t: z.number(),
  norm: z.number(),
});

it.skipIf(!isThere)(
  "AdamW, clipping and sums in graphs of the device are those of the processor (needs a software Vulkan)",
  async () => {
    const { host, device } = z.object({ host: Learned, device: Learned }).parse(await outputOf("storesSideBySide"));
    expect(device.reports.map(({ skipped }) => skipped)).toEqual(host.reports.map(({ skipped }) => skipped));
    expect(device.reports.filter(({ skipped }) => skipped)).toHaveLength(1);
    expect(device.t).toBe(11);
    const numbers = ({ reports, ...rest }: z.infer<typeof Learned>): number[] => [
      ...Object.values(rest).flat(),
      ...reports.map(({ gradientNorm }) => gradientNorm ?? 0),
    ];
    for (const [i, x] of numbers(host).entries()) expect(numbers(device)[i]).toBeCloseTo(x, 5);
    expect(numbers(host)).toHaveLength(4 * 37 + 2 + 12);
  },
);

const Written = z.array(
  z.object({
    tokens: z.array(z.number()),
    logProbs: z.array(z.number()),
    entropies: z.array(z.number()),
    isCut: z.boolean(),
  }),
);

it.skipIf(!isThere)(
  "a sampler with its cache on the device writes what one in this process writes (needs a software Vulkan)",
  async () => {
    const Both = z.object({ host: Written, device: Written, traffic: z.number() });
    const { host, device, traffic } = Both.parse(await outputOf("samplersSideBySide"));
    expect(host.some(({ isCut }) => isCut) && host.some(({ isCut }) => !isCut)).toBe(true);
    expect(device.map(({ tokens, isCut }) => ({ tokens, isCut }))).toEqual(
      host.map(({ tokens, isCut }) => ({ tokens, isCut })),
    );
    for (const [i, { logProbs, entropies }] of host.entries()) {
      expect(device[i]?.logProbs).toEqual(logProbs.map((x) => expect.closeTo(x, 4)));
      expect(device[i]?.entropies).toEqual(entropies.map((x) => expect.closeTo(x, 4)));
    }
    // The KV caches of eight rows alone have 200 kB, so this bound shows that they stay on the device.
    expect(traffic).toBeLessThan(30_000);
  },
);

it.skipIf(!isThere)(
  "a run on WebGPU has the metrics of the same run on the processor (needs a software Vulkan)",
  { timeout: 600_000 },
  async () => {
    const onCpu = await metricsOn("cpu");
    const onWebgpu = await metricsOn("webgpu");
    expect(onWebgpu.map(([name]) => name)).toEqual(onCpu.map(([name]) => name));
    for (const [index, [name, value]] of onCpu.entries()) {
      const other = onWebgpu[index]?.[1] ?? NaN;
      const most = 3e-5 + 1e-5 * Math.abs(value);
      expect(Math.abs(other - value), `${name}: ${value} and ${other}`).toBeLessThanOrEqual(most);
    }
    // WebGPU adds numbers in another order than the CPU. Equality to the last digit would mean that the CPU computed
    // both results.
    expect(onWebgpu).not.toEqual(onCpu);
  },
);
