import { formatCount } from "#server/domain/words.ts";
import type { Slots } from "./node.ts";

/** What a run needs of a node. */
export type Demand = {
  slots: number;
  /** GPUs of one machine that it takes: so many slots of a node that has slots per GPU, and one job of a scheduler. */
  gpus?: number | null;
  labels: readonly string[];
  /** Nodes that failed it; taken only where no other node could ever hold the run. */
  avoid: readonly string[];
  /** Not before this time: a retry that waits. */
  notBeforeMs: number;
  /** The execution provider that it computes with; absent: the processor, which every node has. */
  provider?: string;
};

/** What a node has to give at the moment. */
export type Offer = {
  name: string;
  labels: readonly string[];
  priority: number;
  /** What its slots are. */
  per: Slots["per"];
  /** All slots by name, and those of them that nobody has. */
  slots: readonly string[];
  free: readonly string[];
  /** False while it does not answer: what runs there runs on, nothing new goes there. */
  isReachable: boolean;
  /** True while its disk has no room: nothing new goes there, and what runs there is asked to save and leave. */
  isDiskFull?: boolean;
  /** By execution provider why it does not work there; what is not named may. */
  lacks?: Readonly<Record<string, string>>;
};

export type Assignment = { node: string; devices: readonly string[] };

/**
 * Where a run goes: of the nodes that answer and have its labels and enough free slots, the one of highest priority,
 * then the emptiest, then the first of the file. Undefined: nowhere now; others may still be placed.
 */
export function assign(demand: Demand, offers: readonly Offer[]): Assignment | undefined {
  // Thousands of runs may wait for one slot: the usual answer comes first.
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

/** The node on which a run that finds no place would go, had the node's disk room; undefined when that is not what it lacks. */
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

/** Why a run can never be placed as things are configured, in words; undefined when some node could hold it. */
export function explainUnplaceable(demand: Demand, offers: readonly Offer[]): string | undefined {
  if (offers.some((offer) => couldHold(offer, demand))) return undefined;
  const labelled = offers.filter((offer) => hasLabels(offer, demand));
  if (labelled.length === 0) return `no node has the labels ${demand.labels.join(", ")}`;
  const roomy = labelled.filter((offer) => hasSlots(offer, demand));
  if (roomy.length > 0) {
    const lacks = roomy.map((offer) => `${offer.name}: ${lackOf(offer, demand)}`);
    return `execution provider ${demand.provider} works on no node that could hold it (${lacks.join("; ")})`;
  }
  const { gpus } = demand;
  const wanted = typeof gpus === "number" ? labelled.filter(({ per }) => per === "gpu") : labelled;
  const most = Math.max(0, ...(wanted.length > 0 ? wanted : labelled).map(({ slots }) => new Set(slots).size));
  const needs =
    typeof gpus === "number" && wanted.length > 0 ? formatCount(gpus, "GPU") : formatCount(demand.slots, "slot");
  return `it needs ${needs} of one node, and the largest has ${most}`;
}

function couldHold(offer: Offer, demand: Demand): boolean {
  return hasLabels(offer, demand) && hasSlots(offer, demand) && lackOf(offer, demand) === undefined;
}

function hasSlots(offer: Offer, demand: Demand): boolean {
  return new Set(offer.slots).size >= slotsOf(offer, demand);
}

/** Slots of the node that the run takes. A scheduler gives a job its GPUs; processor cores are no GPUs. */
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

/** So many different devices; the ones shared least first. */
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
