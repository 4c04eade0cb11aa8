import { join } from "node:path";
import type { ReadSecrets } from "#server/config/secrets.ts";
import { AppError } from "#packages/base";
import { parseJson } from "#packages/trainers";
import type { Node } from "#server/domain/fleet/nodes/node.ts";
import { slotEnvironment } from "#server/domain/fleet/nodes/slots.ts";
import { fetchPackages } from "#server/engine/wheels/fetchPackages.ts";
import { packagesOfJob } from "#trainer/spec/elsewhere.ts";
import { folderIn, type Launcher } from "./launcher.ts";
import { type LocalOptions, makeLocalLauncher, readChunk } from "./local.ts";
import { readFile } from "node:fs/promises";
import { Machine } from "#trainer/spec/machine.ts";
import { paced } from "./pace.ts";
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
  external: NonNullable<LocalOptions["external"]>;
  readSecrets: ReadSecrets;
  /** Files of the trainer for nodes without a shared disk; undefined if there are no such nodes. */
  bundle: Bundle | undefined;
};

/** Time for which launch requests are collected, so that those of one orchestrator round arrive together. */
const gatherMs = 500;

/** Creates a node's launcher, which first stores a job's Python packages in the state folder. */
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
  const common = () => {
    const verb = node.kind === "slurm" ? "share" : "ship";
    if (bundle === undefined) throw new AppError("unavailable", `node ${node.name}: there is no trainer to ${verb}`);
    return { home, bundle, resolve: external.resolve, readSecrets };
  };
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
      return makeSshLauncher({ node, ...common() });
    case "slurm":
      return withMachineNotes(makeSlurmLauncher({ node, ...common(), gatherMs: node.arrays ? gatherMs : 0 }));
    case "ray":
      return withMachineNotes(makeRayLauncher({ node, ...common() }));
  }
}

/** Wraps a cluster's launcher: reports once what each job's trainer wrote about its machine (`machine.json`). */
export function withMachineNotes(launcher: Launcher): Launcher {
  const told = new Set<string>();
  const read = async (jobId: string): Promise<Machine[]> => {
    const text = await readFile(join(launcher.folderOf(jobId), "machine.json"), "utf8").catch(() => undefined);
    if (text === undefined) return [];
    told.add(jobId);
    // A file that is incomplete or from another version of the trainer is ignored.
    const { success, data } = Machine.safeParse(parseJson(text));
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

/** Runs jobs on Ray through its HTTP API: inputs are uploaded packages, outputs return through the job's log. */
export function makeRayLauncher(options: RayOptions): Launcher {
  const { node, home, pollMs = 2000, absenceMs = 120_000, now = Date.now } = options;
  const folderOf = (jobId: string) => folderIn(join(home, "runs"), jobId);
  const memory = { uploads: new Map(), numLines: new Map(), absentSince: new Map(), unreadSince: new Map() };
  const cluster: Cluster = { ...options, api: makeRayApi(node), now, absenceMs, folderOf, memory };
  return {
    node: node.name,
    folderOf,
    launch: (job) => submit(cluster, job),
    observe: paced(pollMs, (jobs) => observe(cluster, jobs)),
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
      // The record precedes the stop, so that the stopped job counts as cancelled by the studio.
      if (receipt.cancelledAtMs === undefined) await writeReceipt(folder, { ...receipt, cancelledAtMs: now() });
      await api.stop(jobId);
  }
}
