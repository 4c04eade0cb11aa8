import type { Database } from "#server/db/client.ts";
import { endAttempt, readRunSpec, remark, setRunStatus, startAttempt } from "#server/db/decisions.ts";
import { assertNever } from "#server/domain/errors.ts";
import type { Action } from "#server/domain/reconcile.ts";
import { type Launcher, toJobId } from "#server/launchers/launcher.ts";

export type Hands = {
  database: Pick<Database, "pool">;
  launcher: Launcher;
  /** What was last said about a job and when, so that a repeated action is not a repeated remark. */
  said: Map<string, { text: string; atMs: number }>;
};

/** Performs one decision. Every step may have been done before, by us or by a predecessor that died half-way. */
export async function act(hands: Hands, action: Action): Promise<void> {
  const { database, launcher } = hands;
  switch (action.do) {
    case "launch":
      return await launch(hands, action);
    case "resubmit":
      return await submit(hands, action);
    case "setStatus":
      return await setRunStatus(database, action);
    case "cancelJob":
      await sayOnce(hands, action, "asked the job to stop");
      return await launcher.cancel(action.jobId);
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
async function launch(hands: Hands, { runId, number }: Extract<Action, { do: "launch" }>): Promise<void> {
  const { database, launcher } = hands;
  const jobId = toJobId(runId, number);
  const attempt = { runId, number, jobId, node: launcher.node, folder: launcher.folderOf(jobId) };
  const started = await startAttempt(database, attempt);
  if (started !== undefined) await submit(hands, { runId, jobId, ...started });
}

type Submission = { runId: string; jobId: string; attemptId: number };

const submitAgainAfterMs = 10_000;

async function submit(hands: Hands, { runId, jobId, attemptId }: Submission): Promise<void> {
  const { database, launcher, said } = hands;
  const last = said.get(`submit ${jobId}`);
  if (last !== undefined && Date.now() - last.atMs < submitAgainAfterMs) return;
  said.set(`submit ${jobId}`, { text: "", atMs: Date.now() });
  const read = await readRunSpec(database, runId);
  if ("problem" in read) {
    const refused = { status: "failed", reason: "spec_refused", text: read.problem, maxAttempts: null } as const;
    return await endAttempt(database, { ...refused, runId, attemptId });
  }
  try {
    await launcher.launch({ jobId, spec: read.spec });
  } catch (error) {
    await sayOnce(hands, { runId, jobId }, `the job could not be started: ${String(error)}`);
  }
}

async function sayOnce({ database, said }: Hands, { runId, jobId }: { runId: string; jobId: string }, text: string) {
  if (said.get(jobId)?.text === text) return;
  said.set(jobId, { text, atMs: Date.now() });
  await remark(database, runId, text);
}
