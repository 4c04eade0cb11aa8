import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ReadSecrets } from "#server/config/secrets.ts";
import { AppError } from "#packages/base";
import type { Node } from "#server/domain/fleet/nodes/node.ts";
import { slotEnvironment } from "#server/domain/fleet/nodes/slots.ts";
import { fetchPackages } from "#server/engine/wheels/fetchPackages.ts";
import { packagesOfJob } from "#trainer/spec/elsewhere.ts";
import { type Launcher, parseJobId } from "./launcher.ts";
import { type LocalOptions, makeLocalLauncher, readChunk } from "./local.ts";
import { readFile } from "node:fs/promises";
import { Machine } from "#trainer/spec/machine.ts";
import { type Cluster, makeRayApi, type RayOptions } from "./ray/api.ts";
import { observe } from "./ray/observe.ts";
import { readReceipt, writeReceipt } from "./ray/protocol.ts";
import { submit } from "./ray/submit.ts";
import { makeSlurmLauncher } from "./slurm/slurm.ts";
import type { Bundle } from "./ssh/ship.ts";
import { makeSshLauncher } from "./ssh/ssh.ts";

/** Common settings of all launchers: the state folder, and the trainer's argv and environment on this machine. */
export type Site = {
  home: string;
  trainer: { command: readonly string[]; environment: Readonly<Record<string, string>> };
  /** Adapter for programs of other trainers on this machine. */
  external: NonNullable<LocalOptions["external"]>;
  readSecrets: ReadSecrets;
  /** Files of the trainer for nodes without a shared disk; undefined if there are no such nodes. */
  bundle: Bundle | undefined;
};

/** Time for which launch requests are collected, so that those of one orchestrator round arrive together. */
const gatherMs = 500;

/**
 * Creates the launcher of a node. It stores a job's Python packages in the state folder before the job is started or
 * shipped.
 */
export function makeLauncher(node: Node, site: Site): Launcher {
  const launcher = makeOfKind(node, site);
  return {
    ...launcher,
    launch: async (job) => {
      if (job.spec.trainer === undefined) await fetchPackages(site.home, packagesOfJob(job));
      await launcher.launch(job);
    },
  };
}

function makeOfKind(node: Node, { home, trainer, bundle, external, readSecrets }: Site): Launcher {
  const runsFolder = join(home, "runs");
  const environment = { ...trainer.environment, ...node.environment };
  const environmentOf = (devices: readonly string[]) => slotEnvironment(node.slots, devices);
  switch (node.kind) {
    case "local":
      return makeLocalLauncher({
        node: node.name,
        runsFolder,
        command: trainer.command,
        environment,
        environmentOf,
        external,
        site: { node, readSecrets },
        setup: node.setup,
        leaseMs: node.leaseHours * 3600_000,
        looks: true,
      });
    case "ssh":
      if (bundle === undefined) throw new AppError("unavailable", `node ${node.name}: there is no trainer to ship`);
      return makeSshLauncher({ node, home, bundle, resolve: external.resolve, readSecrets });
    case "slurm":
      if (bundle === undefined) throw new AppError("unavailable", `node ${node.name}: there is no trainer to share`);
      return withMachineNotes(
        makeSlurmLauncher({
          node,
          home,
          bundle,
          resolve: external.resolve,
          readSecrets,
          gatherMs: node.arrays ? gatherMs : 0,
        }),
      );
    case "ray":
      if (bundle === undefined) throw new AppError("unavailable", `node ${node.name}: there is no trainer to ship`);
      return withMachineNotes(makeRayLauncher({ node, home, bundle, resolve: external.resolve, readSecrets }));
  }
}

/**
 * Wraps the launcher of a cluster whose machines can be inspected only by a job. A trainer writes a description of its
 * machine beside its log (`machine.json`). The wrapper reports each job's description once.
 */
export function withMachineNotes(launcher: Launcher): Launcher {
  const told = new Set<string>();
  const read = async (jobId: string): Promise<Machine[]> => {
    const text = await readFile(join(launcher.folderOf(jobId), "machine.json"), "utf8").catch(() => undefined);
    if (text === undefined) return [];
    told.add(jobId);
    // A file that is incomplete or from another version of the trainer is ignored.
    const { success, data } = Machine.safeParse(toJson(text));
    return success ? [data] : [];
  };
  return {
    ...launcher,
    observe: async (jobs) => {
      const { states, contact } = await launcher.observe(jobs);
      const asked = new Set(jobs.map(({ jobId }) => jobId));
      for (const jobId of told) if (!asked.has(jobId)) told.delete(jobId);
      if (!contact.isMade) return { states, contact };
      const fresh = [...asked].filter((jobId) => !told.has(jobId));
      const machines = (await Promise.all(fresh.map(read))).flat();
      return { states, contact: machines.length > 0 ? { ...contact, machines } : contact };
    },
  };
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Runs jobs on a Ray cluster through the HTTP API of the cluster's head. Inputs are uploaded as packages. Outputs
 * return through the job's log and are stored like those of a local job.
 */
export function makeRayLauncher(options: RayOptions): Launcher {
  const { node, home, pollMs = 2000, absenceMs = 120_000, now = Date.now } = options;
  const folderOf = (jobId: string) => {
    const { runId, attempt } = parseJobId(jobId);
    return join(home, "runs", runId, String(attempt));
  };
  const memory = { uploads: new Map(), numLines: new Map(), absentSince: new Map(), unreadSince: new Map() };
  const cluster: Cluster = { ...options, api: makeRayApi(node), now, absenceMs, folderOf, memory };
  let lastPollMs = 0;
  return {
    node: node.name,
    folderOf,
    launch: (job) => submit(cluster, job),
    observe: async (jobs) => {
      // This timer does not keep an otherwise idle process alive.
      const restMs = lastPollMs + (jobs.length > 0 ? pollMs : 5 * pollMs) - Date.now();
      if (restMs > 0) await sleep(restMs, undefined, { ref: false });
      const observation = await observe(cluster, jobs);
      lastPollMs = Date.now();
      return observation;
    },
    cancel: (jobId) => cancel(cluster, jobId),
    readLog: (jobId, fromByte) => readChunk(join(folderOf(jobId), "events.jsonl"), fromByte),
  };
}

/** Asks a job to stop; Ray kills it after `stopSeconds`. A job that is not yet submitted will never be submitted. */
async function cancel({ api, folderOf, now }: Cluster, jobId: string): Promise<void> {
  const folder = folderOf(jobId);
  const receipt = await readReceipt(folder);
  switch (receipt.is) {
    case "refused":
    case "prevented":
      return;
    case "new":
      return await writeReceipt(folder, { is: "prevented" });
    case "asked":
      // Ray's answer to the submission was not recorded, but the job may exist.
      if (!(await api.stop(jobId))) await writeReceipt(folder, { is: "prevented" });
      return;
    case "accepted":
      // The cancellation is recorded before Ray stops the job, so that the stopped job counts as cancelled by the
      // studio.
      if (receipt.cancelledAtMs === undefined) await writeReceipt(folder, { ...receipt, cancelledAtMs: now() });
      await api.stop(jobId);
  }
}
