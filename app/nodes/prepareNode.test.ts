import { describe, expect, it } from "vitest";
import type { Lease, NodeRow } from "#server/db/nodes.ts";
import { Node } from "#server/domain/nodes/node.ts";
import { prepareNodeState, prepareSlots, formatGpu, formatKind, formatSlot } from "./prepareNode.ts";
import { formatPriority } from "#app/_components/sweeps/formatPriority.ts";

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
    disk: null,
    leases: [],
    ...changes,
  };
};

describe("a node on its page", () => {
  it.each([
    ["answers", {}, 2000, "Answers"],
    ["is silent when nobody heard of it for long", {}, 60_000, "Silent"],
    ["does not answer", { problem: "ssh timed out" }, 2000, "Does not answer"],
    ["has a full disk", { disk: { freeBytes: 1e6, totalBytes: 4e8, isFull: true } }, 2000, "Disk full"],
    ["was not asked yet", { lastContactAt: null }, 2000, "Not asked yet"],
    ["is no longer in the file", { isConfigured: false, problem: "x" }, 2000, "No longer configured"],
  ])("%s", (_, changes, nowMs, text) => {
    expect(prepareNodeState(row(changes), nowMs).text).toBe(text);
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
    expect(
      formatGpu({ index: 0, name: "H200", utilisation: 0.374, memoryUsedMb: 11_444, memoryTotalMb: 143_771 }),
    ).toBe("37 % · 12.0 of 150.8 GB");
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
