import { describe, expect, it } from "vitest";
import type { Lease, NodeRow } from "#server/db/fleet/nodes.ts";
import { Node } from "#server/domain/fleet/nodes/node.ts";
import type { Gpu } from "#trainer/spec/gpus.ts";
import type { Machine } from "#trainer/spec/machine.ts";
import {
  prepareAbilities,
  prepareNodeState,
  prepareSlots,
  formatGpu,
  formatGpuUse,
  formatKind,
  formatSlot,
} from "./prepareNode.ts";
import { sumUp } from "./NodesView.tsx";
import { formatPriority } from "#server/domain/fleet/queue/formatPriority.ts";

const node = Node.parse({
  kind: "ssh",
  name: "gpu1",
  host: "gpu1.lab",
  user: "ada",
  folder: "/a",
  slots: { per: "gpu", devices: [0, 1], perDevice: 2 },
});
const lease = (runId: string, devices: string[]): Lease => ({
  node: "gpu1",
  evaluation: null,
  runId,
  sweepId: "s",
  sweepName: "S",
  attempt: 1,
  devices,
  status: "running",
  jobState: "running",
  createdAt: new Date(0),
});
const row = (changes: Partial<NodeRow>): NodeRow => {
  return {
    node,
    isConfigured: true,
    lastContactAt: new Date(1000),
    problem: null,
    gpus: null,
    machines: [],
    processor: null,
    disk: null,
    check: null,
    leases: [],
    ...changes,
  };
};

const gpu: Gpu = {
  index: 0,
  name: "NVIDIA H200",
  driver: "580.65.06",
  memoryTotalMb: 143_771,
  memoryUsedMb: 11_444,
  utilisation: 0.374,
  temperatureCelsius: 41,
  powerWatts: 312.5,
};
const machine = (changes: Partial<Machine> = {}): Machine => {
  const providers = { cpu: null, webgpu: "there is no adapter", cuda: null };
  return { host: "gpu1", atMs: 1, providers, isComplete: true, gpus: [gpu, gpu], problem: null, ...changes };
};

describe("what runs can compute with on a node", () => {
  it("is nothing before a trainer told", () => {
    expect(prepareAbilities(row({}))).toBeNull();
  });

  it("is what works, why the rest does not, and GPUs where nobody asks about them all the time", () => {
    const lacks = [{ provider: "webgpu", why: "there is no adapter" }];
    const told = { works: ["cpu", "cuda"], lacks, gpus: [], problem: null, hasNoGpu: false };
    expect(prepareAbilities(row({ machines: [machine()], gpus: [gpu] }))).toEqual(told);
    expect(prepareAbilities(row({ machines: [machine(), machine({ host: "gpu2", gpus: [gpu] })] }))).toEqual({
      ...told,
      gpus: ["gpu1: 2 × NVIDIA H200, 150.8 GB, driver 580.65.06", "gpu2: NVIDIA H200, 150.8 GB, driver 580.65.06"],
    });
  });

  it("says quietly that there is no GPU, and why where the driver says so", () => {
    const none = machine({ gpus: [], providers: { cpu: null, webgpu: "a", cuda: "b" } });
    expect(prepareAbilities(row({ machines: [none] }))).toMatchObject({
      works: ["cpu"],
      hasNoGpu: true,
      problem: null,
    });
    const problem = "nvidia-smi: No devices were found";
    expect(prepareAbilities(row({ machines: [{ ...none, problem }] }))).toMatchObject({ hasNoGpu: true, problem });
  });
});

describe("a node on its page", () => {
  it.each([
    ["answers", {}, 2000, "Reachable"],
    ["is silent when nobody heard of it for long", {}, 60_000, "Silent"],
    ["does not answer", { problem: "ssh timed out" }, 2000, "Not answering"],
    ["has a full disk", { disk: { freeBytes: 1e6, totalBytes: 4e8, isFull: true } }, 2000, "Disk full"],
    ["was not asked yet", { lastContactAt: null }, 2000, "Not contacted yet"],
    ["is no longer in the file", { isConfigured: false, problem: "x" }, 2000, "No longer configured"],
  ])("%s", (_, changes, nowMs, text) => {
    expect(prepareNodeState(row(changes), nowMs).text).toBe(text);
  });

  it.each<[string, Partial<NodeRow>[]]>([
    ["1 node, reachable", [{}]],
    ["2 nodes, all reachable", [{}, {}]],
    ["1 node, silent: gpu1", [{ lastContactAt: new Date(-30_000) }]],
    ["1 node, not contacted yet: gpu1", [{ lastContactAt: null }]],
    ["1 node, not answering: gpu1", [{ problem: "ssh timed out" }]],
    ["1 node, disk full: gpu1", [{ disk: { freeBytes: 0, totalBytes: 1, isFull: true } }]],
    ["1 node, no longer configured: gpu1", [{ isConfigured: false }]],
    [
      "3 nodes, not answering: gpu1, gpu1; silent: gpu1",
      [{ problem: "x" }, { lastContactAt: new Date(-30_000) }, { problem: "x" }],
    ],
  ])("%s: the sentence says the words of the cards", (text, nodes) => {
    const rows = nodes.map(row);
    expect(sumUp(rows, 2000)).toBe(`${text}; 0 of ${4 * nodes.length} slots in use.`);
  });

  it("shows every slot with its holder, and a lease of a GPU that is no more after them", () => {
    const slots = prepareSlots({ node, leases: [lease("a", ["1"]), lease("b", ["0", "1"]), lease("c", ["7"])] });
    expect(slots.map(({ name, lease: held }) => [name, held?.runId ?? null])).toEqual([
      ["0", "b"],
      ["0", null],
      ["1", "a"],
      ["1", "b"],
      ["7", "c"],
    ]);
    expect(slots.map((slot) => formatSlot(node, slot)).slice(0, 2)).toEqual([
      "GPU 0: b (attempt 1, running)",
      "GPU 0: free",
    ]);
  });

  it("says what it is, how busy a GPU is and what a priority means", () => {
    expect(formatKind(node)).toBe("ssh · ada@gpu1.lab");
    expect([formatGpu(gpu), formatGpuUse(gpu)]).toEqual([
      "GPU 0 · NVIDIA H200 · driver 580.65.06",
      "37 % · 12.0 of 150.8 GB · 41 °C · 313 W",
    ]);
    const silent = { utilisation: null, memoryUsedMb: null, temperatureCelsius: null, powerWatts: null };
    expect(formatGpuUse({ ...gpu, ...silent })).toBe("150.8 GB");
    expect(formatGpuUse({ ...gpu, ...silent, memoryTotalMb: null })).toBe("");
    expect([0, 60, -30, 2880, 95, 1441].map(formatPriority)).toEqual([
      "none",
      "+1 h",
      "−30 min",
      "+2 d",
      "+95 min",
      "+24.0 h",
    ]);
  });
});
