import { formatCount } from "#packages/base";
import type { Slots } from "./node.ts";

export type Demand = {
  slots: number;
  /** GPUs that the run needs on one machine; slots of the kind `gpu` are taken one per GPU, scheduler jobs once. */
  gpus?: number | null;
  labels: readonly string[];
  /** Nodes on which the run failed; they are used only if no other node could ever take the run. */
  avoid: readonly string[];
  /** Earliest start in Unix milliseconds: the end of a retry's waiting time. */
  notBeforeMs: number;
  /** Execution provider of ONNX Runtime that the run requires (such as CUDA); absent for the CPU. */
  provider?: string;
};

export type Offer = {
  name: string;
  labels: readonly string[];
  priority: number;
  per: Slots["per"];
  slots: readonly string[];
  free: readonly string[];
  /** False while the node does not answer: its runs continue, but it gets no new runs. */
  isReachable: boolean;
  /** True while the node's disk is full: it gets no new runs, and its runs are asked to save and exit. */
  isDiskFull?: boolean;
  /** Reason why an execution provider does not work on the node, by provider; absent for a provider that may work. */
  lacks?: Readonly<Record<string, string>>;
};

export type Assignment = { node: string; devices: readonly string[] };

/**
 * Chooses a compute node for a run among the reachable nodes that have its labels and enough free slots. Order:
 * highest priority, largest fraction of free slots, position in the nodes file. Undefined if no node can take the run
 * now.
 */
export function assign(demand: Demand, offers: readonly Offer[]): Assignment | undefined {
  // Thousands of runs may wait for one slot, so it is checked first whether any node has enough free slots.
  if (!offers.some((offer) => isOpen(offer) && offer.free.length >= slotsOf(offer, demand))) return undefined;
  const fitting = offers.filter((offer) => couldHold(offer, demand));
  const others = fitting.filter(({ name }) => !demand.avoid.includes(name));
  const [best] = (others.length > 0 ? others : fitting)
    .filter(isOpen)
    .flatMap((offer) => {
      const devices = take(offer.free, slotsOf(offer, demand));
      return devices === undefined ? [] : [{ offer, devices }];
    })
    .toSorted((a, b) => b.offer.priority - a.offer.priority || freeShare(b.offer) - freeShare(a.offer));
  return best && { node: best.offer.name, devices: best.devices };
}

/** Returns the node that would take the run if its disk were not full; undefined if the disk is not the obstacle. */
export function findFullDisk(demand: Demand, offers: readonly Offer[]): Assignment | undefined {
  if (!offers.some(({ isDiskFull }) => isDiskFull === true)) return undefined;
  return assign(
    demand,
    offers.map((offer) => ({ ...offer, isDiskFull: false })),
  );
}

function isOpen({ isReachable, isDiskFull = false }: Offer): boolean {
  return isReachable && !isDiskFull;
}

/** Returns the reason why no configured node can ever take a run; undefined if one could. */
export function explainUnplaceable(demand: Demand, offers: readonly Offer[]): string | undefined {
  if (offers.some((offer) => couldHold(offer, demand))) return undefined;
  const labelled = offers.filter((offer) => hasLabels(offer, demand));
  if (labelled.length === 0) return `no node has the labels ${demand.labels.join(", ")}`;
  const roomy = labelled.filter((offer) => hasSlots(offer, demand));
  if (roomy.length > 0) {
    const lacks = roomy.map((offer) => `${offer.name}: ${lackOf(offer, demand)}`);
    return `execution provider ${demand.provider} works on no node with enough slots (${lacks.join("; ")})`;
  }
  const { gpus } = demand;
  const wanted = typeof gpus === "number" ? labelled.filter(({ per }) => per === "gpu") : labelled;
  const most = Math.max(0, ...(wanted.length > 0 ? wanted : labelled).map(({ slots }) => new Set(slots).size));
  const needs =
    typeof gpus === "number" && wanted.length > 0 ? formatCount(gpus, "GPU") : formatCount(demand.slots, "slot");
  return `it needs ${needs} of one node, but the largest node has ${most}`;
}

function couldHold(offer: Offer, demand: Demand): boolean {
  return hasLabels(offer, demand) && hasSlots(offer, demand) && lackOf(offer, demand) === undefined;
}

function hasSlots(offer: Offer, demand: Demand): boolean {
  return new Set(offer.slots).size >= slotsOf(offer, demand);
}

/** Returns the number of slots to reserve. A scheduler assigns GPUs itself, and CPU cores are not GPUs. */
function slotsOf({ per }: Offer, { slots, gpus }: Demand): number {
  if (gpus === undefined || gpus === null) return slots;
  switch (per) {
    case "gpu":
      return gpus;
    case "job":
      return 1;
    case "core":
      return slots;
  }
}

function lackOf({ lacks = {} }: Offer, { provider }: Demand): string | undefined {
  return provider === undefined ? undefined : lacks[provider];
}

function hasLabels(offer: Offer, demand: Demand): boolean {
  return demand.labels.every((label) => offer.labels.includes(label));
}

/** Chooses `count` slots on distinct devices, starting with the devices that have the most free slots. */
function take(free: readonly string[], count: number): string[] | undefined {
  const numFree = new Map<string, number>();
  for (const name of free) numFree.set(name, (numFree.get(name) ?? 0) + 1);
  if (numFree.size < count) return undefined;
  return [...numFree]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([name]) => name);
}

function freeShare({ free, slots }: Offer): number {
  return free.length / slots.length;
}
