import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { RunEvent } from "#trainer/spec/event.ts";
import { isMeasured } from "#trainer/spec/metric.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { tinySpec } from "./testing/tinySpec.ts";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "arlarena-webgpu-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The Vulkan that Debian's chromium brings along: it computes on the processor. */
const libraries = "/usr/lib/chromium";
const driver = join(libraries, "vk_swiftshader_icd.json");
const isThere = existsSync(driver) && existsSync(join(libraries, "libvulkan.so.1"));

async function metricsOn(provider: "cpu" | "webgpu"): Promise<[name: string, value: number][]> {
  const spec = tinySpec(methodOf("grpo"), 1, {
    initialisation: { kind: "demonstrations", numEpisodes: 4, epochs: 1 },
    evaluation: { every: 1, numEpisodes: 1 },
    execution: { provider },
  });
  const specPath = join(folder, `${provider}.json`);
  writeFileSync(specPath, JSON.stringify(spec));
  // A process of its own: the loader reads where libraries lie when it starts.
  const env = { ...process.env, LD_LIBRARY_PATH: libraries, VK_ICD_FILENAMES: driver };
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

it.skipIf(!isThere)(
  "a run on WebGPU has the metrics of the same run on the processor (needs a software Vulkan)",
  { timeout: 600_000 },
  async () => {
    const onCpu = await metricsOn("cpu");
    const onWebgpu = await metricsOn("webgpu");
    expect(onWebgpu.map(([name]) => name)).toEqual(onCpu.map(([name]) => name));
    for (const [index, [name, value]] of onCpu.entries()) {
      const other = onWebgpu[index]?.[1] ?? NaN;
      expect(Math.abs(other - value), `${name}: ${value} and ${other}`).toBeLessThanOrEqual(
        1e-4 + 2e-3 * Math.abs(value),
      );
    }
    // It is small beside the absolute tolerance, and the first to be wrong where a gradient is.
    const norm = "update/gradientNorm";
    expect(new Map(onWebgpu).get(norm) ?? NaN).toBeGreaterThan(0.9 * (new Map(onCpu).get(norm) ?? NaN));
    expect(new Map(onWebgpu).get(norm) ?? NaN).toBeLessThan(1.1 * (new Map(onCpu).get(norm) ?? NaN));
    // Sums in another order: equal to the last digit would be the processor itself.
    expect(onWebgpu).not.toEqual(onCpu);
  },
);
