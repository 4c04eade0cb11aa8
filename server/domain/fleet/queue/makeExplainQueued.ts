import type { Machine } from "#trainer/spec/machine.ts";
import { explainUnplaceable } from "../nodes/assign.ts";
import type { Node } from "../nodes/node.ts";
import { lacksOf } from "../nodes/providers.ts";
import { listSlots } from "../nodes/slots.ts";

type Queued = {
  slotsPerRun: number;
  gpusPerRun: number | null;
  labels: readonly string[];
  /** Execution providers that the sweep's waiting runs require. */
  providers: readonly string[];
};
type KnownNode = { node: Node; isConfigured: boolean; machines: readonly Machine[] };

/**
 * Returns a function that states why no configured node can ever run a sweep's runs; null if one can, or if no node is
 * known.
 */
export function makeExplainQueued(nodes: readonly KnownNode[]): (sweep: Queued) => string | null {
  const offers = nodes
    .filter(({ isConfigured }) => isConfigured)
    .map(({ node, machines }) => {
      const { name, labels, priority } = node;
      const slots = listSlots(node.slots);
      const lacks = lacksOf(node, machines);
      return { name, labels, priority, per: node.slots.per, slots, free: slots, isReachable: true, lacks };
    });
  return ({ slotsPerRun, gpusPerRun, labels, providers }) => {
    if (offers.length === 0) return null;
    const demand = { slots: slotsPerRun, gpus: gpusPerRun, labels, avoid: [], notBeforeMs: 0 };
    return providers.flatMap((provider) => explainUnplaceable({ ...demand, provider }, offers) ?? [])[0] ?? null;
  };
}
