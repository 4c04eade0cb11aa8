import { setTimeout as sleep } from "node:timers/promises";
import type { NodeNews } from "#server/db/fleet/nodes.ts";
import type { JobState } from "#server/domain/fleet/job.ts";
import { mergeMachines } from "#server/domain/fleet/nodes/providers.ts";
import { isFullNow } from "#server/domain/fleet/nodes/machine.ts";
import type { Node } from "#server/domain/fleet/nodes/node.ts";
import type { Machine } from "#trainer/spec/machine.ts";
import type { Launcher, Observation, Watched } from "#server/engine/launchers/launcher.ts";

export type ManagedNode = { node: Node; launcher: Launcher };

/** Observer of one node: `look` observes its jobs, and `news` returns the latest result. */
export type Watch = ManagedNode & {
  /** Joins or begins an observation; undefined after `patienceMs`, so that a slow node delays only one round. */
  look: (jobs: readonly Watched[], patienceMs: number) => Promise<ReadonlyMap<string, JobState> | undefined>;
  news: () => NodeNews & { machines: readonly Machine[] };
};

/** Returns a node's observer. `machines`: those that trainers reported to an earlier orchestrator. */
export function makeWatch({ node, launcher }: ManagedNode, machines: readonly Machine[] = []): Watch {
  const known: NodeNews & { machines: readonly Machine[] } = {
    node,
    lastContactAtMs: null,
    problem: null,
    gpus: null,
    machines,
    disk: null,
  };
  let pending: Promise<void> | undefined;
  let arrived: Observation | undefined;
  let sinceMs = 0;
  return {
    node,
    launcher,
    look: async (jobs, patienceMs) => {
      if (pending === undefined) sinceMs = Date.now();
      pending ??= observe(launcher, jobs).then((observation) => void (arrived = observation));
      await waitFor(pending, sinceMs + patienceMs);
      if (arrived === undefined) return undefined;
      const { states, contact } = arrived;
      arrived = undefined;
      pending = undefined;
      known.problem = contact.isMade ? null : contact.why;
      if (contact.isMade) known.lastContactAtMs = Date.now();
      if (contact.isMade && contact.gpus !== undefined) known.gpus = contact.gpus;
      if (contact.isMade && contact.processor) known.processor = contact.processor;
      if (contact.isMade && contact.machines) known.machines = mergeMachines(node, known.machines, contact.machines);
      if (contact.isMade && contact.disk !== undefined) {
        known.disk = { ...contact.disk, isFull: isFullNow(contact.disk, known.disk?.isFull ?? false) };
      }
      return states;
    },
    news: () => ({ ...known }),
  };
}

/** Waits for a promise, at the longest until a time. */
export async function waitFor(done: Promise<unknown>, untilMs: number): Promise<void> {
  const waiting = new AbortController();
  const leftMs = Math.max(0, untilMs - Date.now());
  await Promise.race([done, sleep(leftMs, undefined, { signal: waiting.signal }).catch(() => undefined)]);
  waiting.abort();
}

/** True if new jobs may be sent to the node, because it responded to the last request. */
export function isReachable({ lastContactAtMs, problem }: NodeNews): boolean {
  return lastContactAtMs !== null && problem === null;
}

async function observe(launcher: Launcher, jobs: readonly Watched[]): Promise<Observation> {
  try {
    return await launcher.observe(jobs);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      states: new Map(jobs.map(({ jobId }) => [jobId, { state: "unknown", why }])),
      contact: { isMade: false, why },
    };
  }
}
