import { randomBytes } from "node:crypto";
import { readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "#server/db/storage/client.ts";
import { readAskedChecks, readChecks, saveCheck } from "#server/db/fleet/nodeChecks.ts";
import type { AttemptPaths, ExternalJob, TrainerTemplate } from "#packages/trainers";
import { isEnded, type JobState, textOf } from "#server/domain/fleet/job.ts";
import {
  checkTrainer,
  failedCheck,
  judgeProbe,
  listPythons,
  type NodeCheck,
  probeText,
  readProbe,
} from "#server/domain/fleet/nodes/check.ts";
import { listSlots } from "#server/domain/fleet/nodes/slots.ts";
import { methodOf } from "#trainer/spec/method.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { parseJobId } from "#server/engine/launchers/launcher.ts";
import type { ManagedNode } from "./watch.ts";

type Templates = Readonly<Record<string, TrainerTemplate>>;

/** Software versions that the last node check found, by node; read at each launch. */
export type NodeVersions = Map<string, NodeCheck["versions"]>;

/** Returns the program of a node check (a test of GPUs and software), which a launcher runs as if it were a trainer. */
export function checkProgram(templates: Templates, { folder, home }: AttemptPaths): ExternalJob {
  return {
    name: checkTrainer,
    argv: ["sh", "-c", probeText(listPythons(templates), home)],
    environment: {},
    folder,
    metrics: { kind: "jsonLines" },
    notes: [],
  };
}

/** Inputs of node checks: other trainers' templates, a map for the versions found, and the local runs folder. */
export type Checks = { templates: () => Templates; versions: NodeVersions; runsFolder: string; lookEveryMs?: number };
type Checking = Checks & { database: Pick<Database, "pool">; nodes: readonly ManagedNode[] };

/** Runs requested checks, one per node at a time. A lost database is waited out: an error would end this process. */
export async function checkNodes(checking: Checking, stop: AbortSignal): Promise<void> {
  const { database, nodes, versions } = checking;
  const busy = new Set<string>();
  let isRead = false;
  while (!stop.aborted) {
    if (!isRead) isRead = await readVersionsInto(versions, database).catch(() => false);
    for (const name of await readAskedChecks(database).catch(() => [])) {
      const managed = nodes.find(({ node }) => node.name === name);
      if (managed === undefined || busy.has(name)) continue;
      busy.add(name);
      void keepCheck(managed, checking).finally(() => busy.delete(name));
    }
    await sleep(checking.lookEveryMs ?? 2000, undefined, { signal: stop }).catch(() => undefined);
  }
}

async function readVersionsInto(versions: NodeVersions, database: Pick<Database, "pool">): Promise<true> {
  for (const [name, check] of await readChecks(database)) versions.set(name, check.versions);
  return true;
}

/** Checks a node and stores the result. If it cannot be stored, the check stays requested and runs again. */
async function keepCheck(managed: ManagedNode, checking: Checking): Promise<void> {
  const { name } = managed.node;
  try {
    const check = await checkNode(managed, checking);
    checking.versions.set(name, check.versions);
    await saveCheck(checking.database, name, check);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    await saveCheck(checking.database, name, failedCheck(why, Date.now())).catch(() => undefined);
  }
}

const patienceMs = 10 * 60_000;

const spec = RunSpec.parse({
  v: 1,
  seed: 0,
  environment: { id: "sokoban" },
  method: methodOf("grpo"),
  trainer: { name: checkTrainer },
});

/** Checks a node by running one job through the node's own launcher, and interprets the job's output. */
export async function checkNode(
  { node, launcher }: ManagedNode,
  { templates, runsFolder }: Pick<Checks, "templates" | "runsFolder">,
): Promise<NodeCheck> {
  const jobId = `check-${randomBytes(6).toString("hex")}.1`;
  const folder = launcher.folderOf(jobId);
  try {
    await launcher.launch({ jobId, spec, devices: [...new Set(listSlots(node.slots))] });
    const endMs = Date.now() + patienceMs;
    let state: JobState | undefined;
    while (state === undefined || !isEnded(state)) {
      if (Date.now() > endMs) {
        await launcher.cancel(jobId);
        const last = state === undefined ? "not seen" : (textOf(state) ?? state.state);
        return failedCheck(`it was not over after ${patienceMs / 60_000} minutes: ${last}`, Date.now());
      }
      const { states, contact } = await launcher.observe([{ jobId, logOffset: 0 }]);
      if (!contact.isMade) return failedCheck(contact.why, Date.now());
      state = states.get(jobId) ?? state;
      await sleep(500);
    }
    const [stdout, stderr] = await Promise.all(
      ["stdout.log", "stderr.log"].map((name) => readFile(join(folder, name), "utf8").catch(() => "")),
    );
    const probe = readProbe(stdout ?? "");
    if (!probe.has("host")) return failedCheck(lastWords(stderr ?? "", state), Date.now());
    const sent = await stat(join(folder, "sent.bin")).catch(() => undefined);
    return judgeProbe({ node, templates: templates(), probe, receivedBytes: sent?.size, atMs: Date.now() });
  } finally {
    for (const path of [dirname(folder), join(runsFolder, parseJobId(jobId).runId)]) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

function lastWords(stderr: string, state: JobState): string {
  const lines = stderr.trim().split("\n").slice(-5).join("\n");
  const how = state.state === "exited" ? `exit code ${state.exitCode}` : state.state;
  return [textOf(state) ?? how, lines].filter(Boolean).join(": ");
}
