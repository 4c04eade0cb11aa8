import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "#server/db/client.ts";
import { endAttempt, readRunSpec, remark, setRunStatus, startAttempt } from "#server/db/decisions.ts";
import { assertNever } from "#server/domain/errors.ts";
import { listSlots } from "#server/domain/nodes/slots.ts";
import type { Action } from "#server/domain/reconcile.ts";
import { decideRetry } from "#server/domain/retry.ts";
import { toJobId } from "#server/launchers/launcher.ts";
import type { ManagedNode } from "./watch.ts";

export type Hands = {
  database: Pick<Database, "pool">;
  /** By the node's name. */
  sites: ReadonlyMap<string, ManagedNode>;
  /** What was last said about a job and when, so that a repeated action is not a repeated remark. */
  said: Map<string, { text: string; atMs: number }>;
};

/** Performs one decision. Every step may have been done before, by us or by a predecessor that died half-way. */
export async function act(hands: Hands, action: Action): Promise<void> {
  const { database } = hands;
  switch (action.do) {
    case "launch":
      return await launch(hands, action);
    case "resubmit":
      return await submit(hands, action);
    case "setStatus":
      return await setRunStatus(database, action);
    case "cancelJob":
      await sayOnce(hands, action, "asked the job to stop");
      return await withPatience(hands.sites.get(action.node)?.launcher.cancel(action.jobId));
    case "retry":
      return await endAttempt(database, { ...action, status: "pending" });
    case "end":
      return await endAttempt(database, { ...action, maxAttempts: null });
    default:
      return assertNever(action);
  }
}

// Recorded first, started second: dying in between leaves an attempt without a job, which is submitted again, never a
// job without an attempt.
async function launch(hands: Hands, { runId, number, ...place }: Extract<Action, { do: "launch" }>): Promise<void> {
  const site = hands.sites.get(place.node);
  if (site === undefined) return;
  const jobId = toJobId(runId, number);
  const attempt = { runId, number, jobId, folder: site.launcher.folderOf(jobId), slots: listSlots(site.node.slots) };
  const started = await startAttempt(hands.database, { ...attempt, ...place });
  if (started !== undefined) await submit(hands, { runId, jobId, ...place, ...started });
}

type Submission = { runId: string; jobId: string; attemptId: number; node: string; devices: readonly string[] };

const submitAgainAfterMs = 10_000;

async function submit(hands: Hands, { runId, jobId, attemptId, node, devices }: Submission): Promise<void> {
  const { database, sites, said } = hands;
  const last = said.get(`submit ${jobId}`);
  if (last !== undefined && Date.now() - last.atMs < submitAgainAfterMs) return;
  said.set(`submit ${jobId}`, { text: "", atMs: Date.now() });
  const read = await readRunSpec(database, runId);
  if ("problem" in read) {
    const { aftermath } = decideRetry("spec_refused", { numAttempts: 1, maxAttempts: 1, numSame: 0, place: node });
    const refused = { status: "failed", reason: "spec_refused", text: read.problem, maxAttempts: null } as const;
    return await endAttempt(database, { ...refused, aftermath, runId, attemptId });
  }
  const launching = sites
    .get(node)
    ?.launcher.launch({ jobId, spec: read.spec, devices, avoidHosts: hostsOn(node, read.avoid) });
  await withPatience(
    launching?.catch((error) => sayOnce(hands, { runId, jobId }, `the job could not be started: ${String(error)}`)),
  );
}

// Machines of a node are kept as NODE/HOST.
function hostsOn(node: string, avoid: readonly string[]): string[] {
  return avoid.flatMap((place) => (place.startsWith(`${node}/`) ? [place.slice(node.length + 1)] : []));
}

const patienceMs = 1000;

// A node that does not answer keeps the others waiting no longer than this; what was asked of it is asked again.
async function withPatience(work: Promise<void> | undefined): Promise<void> {
  const waiting = new AbortController();
  const rest = sleep(patienceMs, undefined, { signal: waiting.signal }).catch(() => undefined);
  await Promise.race([work?.catch(() => undefined), rest]);
  waiting.abort();
}

async function sayOnce({ database, said }: Hands, { runId, jobId }: { runId: string; jobId: string }, text: string) {
  if (said.get(jobId)?.text === text) return;
  said.set(jobId, { text, atMs: Date.now() });
  await remark(database, runId, text);
}
