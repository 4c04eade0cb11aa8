import type { Database } from "#server/db/storage/client.ts";
import {
  endAttempt,
  endIdleRuns,
  readRunSpec,
  remark,
  setRunStatus,
  startAttempt,
} from "#server/db/fleet/decisions.ts";
import { assertNever } from "#packages/base";
import { listSlots } from "#server/domain/fleet/nodes/slots.ts";
import type { Action } from "#server/domain/fleet/reconcile.ts";
import { decideRetry } from "#server/domain/fleet/retry.ts";
import { toJobId } from "#server/engine/launchers/launcher.ts";
import { type ManagedNode, waitFor } from "./watch.ts";

export type Effects = {
  database: Pick<Database, "pool">;
  sites: ReadonlyMap<string, ManagedNode>;
  /** Text and time of the last remark stored about each job, so that a repeated action adds no repeated remark. */
  lastNotes: Map<string, { text: string; atMs: number }>;
  busy: Set<string>;
  /** Time at which this round stops waiting for nodes; later responses are used in a later round. */
  patienceEndsMs: number;
};

/** Performs an action. Repetition is harmless: this process or a crashed one may have performed it before. */
export async function act(effects: Effects, action: Action): Promise<void> {
  const { database } = effects;
  switch (action.do) {
    case "launch":
      return await launch(effects, action);
    case "resubmit":
      return await submit(effects, action);
    case "setStatus":
      return await setRunStatus(database, action);
    case "cancelJob":
      await noteOnce(effects, action, "asked the job to stop");
      return await ask(effects, `cancel ${action.jobId}`, async () => {
        await effects.sites.get(action.node)?.launcher.cancel(action.jobId);
      });
    case "retry":
      return await endAttempt(database, { ...action, status: "pending" });
    case "end": {
      const { attemptId } = action;
      if (attemptId === null) return await endIdleRuns(database, [action]);
      return await endAttempt(database, { ...action, attemptId, maxAttempts: null });
    }
    default:
      return assertNever(action);
  }
}

// Starts an attempt of a run. The attempt is recorded before its job is submitted: a crash can only leave an attempt
// without a job, which is then submitted again.
async function launch(effects: Effects, { runId, number, ...lease }: Extract<Action, { do: "launch" }>): Promise<void> {
  const site = effects.sites.get(lease.node);
  if (site === undefined) return;
  const jobId = toJobId(runId, number);
  const attempt = { runId, number, jobId, folder: site.launcher.folderOf(jobId), slots: listSlots(site.node.slots) };
  const started = await startAttempt(effects.database, { ...attempt, ...lease });
  if (started !== undefined) await submit(effects, { runId, jobId, ...lease, ...started });
}

type Submission = { runId: string; jobId: string; attemptId: number; node: string; devices: readonly string[] };

const submitAgainAfterMs = 10_000;

async function submit(effects: Effects, { runId, jobId, attemptId, node, devices }: Submission): Promise<void> {
  const { database, sites, lastNotes } = effects;
  const last = lastNotes.get(`submit ${jobId}`);
  if (last !== undefined && Date.now() - last.atMs < submitAgainAfterMs) return;
  lastNotes.set(`submit ${jobId}`, { text: "", atMs: Date.now() });
  const read = await readRunSpec(database, runId);
  if ("problem" in read) {
    const { aftermath } = decideRetry("spec_refused", { numAttempts: 1, maxAttempts: 1, numSame: 0, machine: node });
    const refused = { status: "failed", reason: "spec_refused", text: read.problem, maxAttempts: null } as const;
    return await endAttempt(database, { ...refused, aftermath, runId, attemptId });
  }
  await ask(effects, `submit ${jobId}`, async () => {
    try {
      const job = { jobId, spec: read.spec, devices, avoidHosts: hostsOn(node, read.avoid) };
      await sites.get(node)?.launcher.launch(job);
    } catch (error) {
      await noteOnce(effects, { runId, jobId }, `the job could not be started: ${String(error)}`);
    }
  });
}

// Returns the host names on one node, given machines stored as NODE/HOST.
function hostsOn(node: string, avoid: readonly string[]): string[] {
  return avoid.flatMap((machine) => (machine.startsWith(`${node}/`) ? [machine.slice(node.length + 1)] : []));
}

// Sends a request to a node. A node that does not respond delays the other nodes only until this round's wait ends,
// and receives no duplicate request. A failed request is repeated in a later round.
export async function ask({ busy, patienceEndsMs }: Effects, what: string, work: () => Promise<void>): Promise<void> {
  if (busy.has(what)) return;
  busy.add(what);
  const done = work()
    .catch(() => undefined)
    .finally(() => busy.delete(what));
  await waitFor(done, patienceEndsMs);
}

type Noted = { runId: string; jobId: string };

async function noteOnce({ database, lastNotes }: Effects, { runId, jobId }: Noted, text: string) {
  if (lastNotes.get(jobId)?.text === text) return;
  lastNotes.set(jobId, { text, atMs: Date.now() });
  await remark(database, runId, text);
}
