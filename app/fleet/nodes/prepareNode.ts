import type { Lease, NodeRow } from "#server/db/fleet/nodes.ts";
import { listProviders } from "#server/domain/fleet/nodes/providers.ts";
import { listSlots } from "#server/domain/fleet/nodes/slots.ts";
import type { Gpu } from "#trainer/spec/gpus.ts";
import type { Node } from "#server/domain/fleet/nodes/node.ts";
import type { IconName } from "#app/_ui/Icon.tsx";
import type { Tone } from "#app/_ui/StatusPill.tsx";

type State = { tone: Tone; icon: IconName; text: string };
/** A slot of a node with the run or evaluation that occupies it; `lease` is null for a free slot. */
export type Slot = { key: string; name: string; lease: Lease | null };

const silentAfterMs = 30_000;

/** Returns the state of a node with tone and icon. `nowMs` is undefined until the page knows the current time. */
export function prepareNodeState(row: NodeRow, nowMs: number | undefined): State {
  const { isConfigured, lastContactAt, problem, disk } = row;
  if (!isConfigured) return { tone: "warn", icon: "warning", text: "No longer configured" };
  if (problem !== null) return { tone: "bad", icon: "warning", text: "Not answering" };
  if (lastContactAt === null) return { tone: "neutral", icon: "clock", text: "Not contacted yet" };
  if (nowMs !== undefined && nowMs - lastContactAt.getTime() > silentAfterMs) {
    return { tone: "warn", icon: "clock", text: "Silent" };
  }
  if (disk?.isFull === true) return { tone: "bad", icon: "warning", text: "Disk full" };
  return { tone: "good", icon: "check", text: "Reachable" };
}

/** Returns every slot of a node with its run. Slots that were removed from the node but still have a run come last. */
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
  if (lease === null) return `${what}: free`;
  const { runId, attempt, status, evaluation } = lease;
  const work = evaluation === null ? `attempt ${attempt}, ${status}` : `evaluation in ${evaluation}`;
  return `${what}: ${runId} (${work})`;
}

export function formatKind(node: Node): string {
  switch (node.kind) {
    case "local":
      return "the studio's server";
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

/** Formats a GPU: "GPU 0 · NVIDIA H200 · driver 580.65.06". */
export function formatGpu({ index, name, driver }: Gpu): string {
  return [`GPU ${index}`, name, ...(driver === null ? [] : [`driver ${driver}`])].join(" · ");
}

/** Formats a GPU's load: "37 % · 12.0 of 141.0 GB · 41 °C · 313 W", without values that are not reported. */
export function formatGpuUse({ utilisation, temperatureCelsius, powerWatts, ...memory }: Gpu): string {
  const words = [
    utilisation === null ? undefined : `${Math.round(utilisation * 100)} %`,
    formatMemory(memory),
    temperatureCelsius === null ? undefined : `${Math.round(temperatureCelsius)} °C`,
    powerWatts === null ? undefined : `${Math.round(powerWatts)} W`,
  ];
  return words.filter((word) => word !== undefined).join(" · ");
}

function formatMemory({ memoryUsedMb, memoryTotalMb }: Pick<Gpu, "memoryUsedMb" | "memoryTotalMb">) {
  const gigabytes = (mb: number) => ((mb * 1.048576) / 1000).toFixed(1);
  if (memoryTotalMb === null) return memoryUsedMb === null ? undefined : `${gigabytes(memoryUsedMb)} GB in use`;
  return memoryUsedMb === null
    ? `${gigabytes(memoryTotalMb)} GB`
    : `${gigabytes(memoryUsedMb)} of ${gigabytes(memoryTotalMb)} GB`;
}

/** Compute devices of a node's machines: usable ones, and the reasons why others are unusable. */
export type Abilities = {
  works: string[];
  lacks: { provider: string; why: string }[];
  /** Descriptions of the GPUs, one per machine; empty if the node's GPUs are monitored. */
  gpus: string[];
  /** Reason why no GPU is usable; null if a GPU is usable, or if the machine has none. */
  problem: string | null;
  hasNoGpu: boolean;
};

type Reported = Pick<NodeRow, "node" | "machines" | "gpus">;

/** Combines the reports of a node's machines; null until a trainer has reported. */
export function prepareAbilities({ node, machines, gpus }: Reported): Abilities | null {
  if (machines.length === 0) return null;
  const providers = listProviders([{ node, machines }]);
  return {
    works: providers.flatMap(({ provider, nodes }) => (nodes.length > 0 ? [provider] : [])),
    lacks: providers.flatMap(({ provider, lacks }) => lacks.map(({ why }) => ({ provider, why }))),
    gpus: gpus === null ? machines.flatMap(({ host, gpus: each }) => describeGpus(host, each)) : [],
    problem: machines.map(({ problem }) => problem).find((problem) => problem !== null) ?? null,
    hasNoGpu: gpus === null && machines.every((machine) => machine.gpus.length === 0),
  };
}

/** Describes the GPUs of one machine: "gpu07: 8 × NVIDIA H200, 150.8 GB, driver 580.65.06". */
function describeGpus(host: string, gpus: readonly Gpu[]): string[] {
  const [first] = gpus;
  if (first === undefined) return [];
  const memory = formatMemory({ ...first, memoryUsedMb: null });
  const driver = first.driver === null ? undefined : `driver ${first.driver}`;
  const number = gpus.length === 1 ? "" : `${gpus.length} × `;
  return [`${host}: ${[`${number}${first.name}`, memory, driver].filter((word) => word !== undefined).join(", ")}`];
}
