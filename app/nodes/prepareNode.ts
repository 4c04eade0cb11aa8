import type { GpuUse, Lease, NodeRow } from "#server/db/nodes.ts";
import { listSlots } from "#server/domain/nodes/slots.ts";
import type { Node } from "#server/domain/nodes/node.ts";
import type { IconName } from "#app/_ui/Icon.tsx";
import type { Tone } from "#app/_ui/StatusPill.tsx";

type State = { tone: Tone; icon: IconName; text: string };
/** One slot of a node, and the run that has it. */
export type Slot = { key: string; name: string; lease: Lease | null };

const silentAfterMs = 30_000;

/** How a node stands, in words. `nowMs` undefined: before the page knows the time. */
export function prepareNodeState(row: NodeRow, nowMs: number | undefined): State {
  const { isConfigured, lastContactAt, problem, disk } = row;
  if (!isConfigured) return { tone: "warn", icon: "warning", text: "No longer configured" };
  if (problem !== null) return { tone: "bad", icon: "warning", text: "Does not answer" };
  if (lastContactAt === null) return { tone: "neutral", icon: "clock", text: "Not asked yet" };
  if (nowMs !== undefined && nowMs - lastContactAt.getTime() > silentAfterMs) {
    return { tone: "warn", icon: "clock", text: "Silent" };
  }
  if (disk?.isFull === true) return { tone: "bad", icon: "warning", text: "Disk full" };
  return { tone: "good", icon: "check", text: "Answers" };
}

/** Every slot with its holder; leases of slots that are no more come last, so that no run is hidden. */
export function prepareSlots({ node, leases }: Pick<NodeRow, "node" | "leases">): Slot[] {
  const waiting = leases.flatMap((lease) => lease.devices.map((device) => ({ device, lease })));
  const slots = listSlots(node.slots).map((name, i): Slot => {
    const at = waiting.findIndex(({ device }) => device === name);
    const [taken] = at === -1 ? [] : waiting.splice(at, 1);
    return { key: String(i), name, lease: taken?.lease ?? null };
  });
  return [...slots, ...waiting.map(({ device, lease }, i) => ({ key: `gone ${i}`, name: device, lease }))];
}

export function formatSlot(node: Node, { name, lease }: Slot): string {
  const what = node.slots.per === "gpu" ? `GPU ${name}` : node.slots.per === "job" ? "Job" : `Slot ${name}`;
  return lease === null ? `${what}: free` : `${what}: ${lease.runId} (attempt ${lease.attempt}, ${lease.status})`;
}

/** Where a node is and what it is, in a line. */
export function formatKind(node: Node): string {
  switch (node.kind) {
    case "local":
      return "this machine";
    case "ssh":
      return `ssh · ${node.user === undefined ? "" : `${node.user}@`}${node.host}${node.port === undefined ? "" : `:${node.port}`}`;
    case "slurm":
      return `Slurm · ${node.partition === undefined ? "default partition" : `partition ${node.partition}`}`;
    case "ray":
      return `Ray · ${node.address.replace(/^https?:\/\//, "")}`;
  }
}

export function formatUnit(node: Node, count: number): string {
  const one = { core: "slot", gpu: "GPU slot", job: "job" }[node.slots.per];
  return count === 1 ? one : `${one}s`;
}

/** "37 % · 12.0 of 141.0 GB" */
export function formatGpu({ utilisation, memoryUsedMb, memoryTotalMb }: GpuUse): string {
  const gigabytes = (mb: number) => ((mb * 1.048576) / 1000).toFixed(1);
  return `${Math.round(utilisation * 100)} % · ${gigabytes(memoryUsedMb)} of ${gigabytes(memoryTotalMb)} GB`;
}
