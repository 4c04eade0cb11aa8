import { type LiveAttemptRow, readLiveAttempts, saveJobState } from "#server/db/attempts.ts";
import { readOpenRuns } from "#server/db/decisions.ts";
import { saveHeartbeat } from "#server/db/leadership.ts";
import { isEnded, type JobState } from "#server/domain/job.ts";
import { type LiveAttempt, reconcile } from "#server/domain/reconcile.ts";
import type { Storage } from "#server/ingest/applyLog.ts";
import { drainLog } from "#server/ingest/drainLog.ts";
import type { Launcher } from "#server/launchers/launcher.ts";
import { act, type Hands } from "./act.ts";

export type Orchestration = {
  storage: Storage;
  launcher: Launcher;
  slots: number;
  said: Hands["said"];
  observingSinceMs: number;
  graceMs?: number;
  resubmitAfterMs?: number;
  log: (text: string) => void;
};

/** One round: load, observe, ingest, decide, act, and say that we live. */
export async function tick(orchestration: Orchestration): Promise<void> {
  const { storage, launcher, slots, said } = orchestration;
  const observed = await observe(launcher, await readLiveAttempts(storage));
  const drained = new Set<number>();
  for (const { attempt, state } of observed) {
    if (await ingest(orchestration, attempt, state)) drained.add(attempt.attemptId);
  }
  const states = new Map(observed.map(({ attempt, state }) => [attempt.attemptId, state]));
  const live = (await readLiveAttempts(storage)).flatMap((attempt) => toLive(attempt, states, drained));
  for (const action of await decide(orchestration, live)) {
    await act({ database: storage, launcher, said }, action);
  }
  await saveHeartbeat(storage, { slots, slotsUsed: (await readLiveAttempts(storage)).length });
}

type Observed = { attempt: LiveAttemptRow; state: JobState };

async function observe(launcher: Launcher, attempts: readonly LiveAttemptRow[]): Promise<Observed[]> {
  const states = await launcher.observe(attempts.map(({ jobId }) => jobId));
  const unseen: JobState = { state: "unknown", why: `${launcher.node} said nothing about the job` };
  return attempts.map((attempt) => ({ attempt, state: states.get(attempt.jobId) ?? unseen }));
}

/** True when the job has ended and its log is read to the end. A log that cannot be read is not an empty log. */
async function ingest({ storage, launcher, log }: Orchestration, attempt: LiveAttemptRow, state: JobState) {
  if (state.state !== attempt.jobState) await saveJobState(storage, attempt.attemptId, state);
  const readLog = async (fromByte: number) => {
    try {
      return await launcher.readLog(attempt.jobId, fromByte);
    } catch (cause) {
      throw new UnreadableLog(`log of ${attempt.jobId}`, { cause });
    }
  };
  try {
    return await drainLog(storage, attempt, { readLog, hasEnded: isEnded(state) });
  } catch (error) {
    if (!(error instanceof UnreadableLog)) throw error;
    log(`cannot read the ${error.message}: ${String(error.cause)}`);
    return false;
  }
}

class UnreadableLog extends Error {}

function toLive(attempt: LiveAttemptRow, states: ReadonlyMap<number, JobState>, drained: ReadonlySet<number>) {
  const { runId, attemptId, jobId, node, createdAtMs, done } = attempt;
  const state = states.get(attemptId);
  if (state === undefined) return [];
  const logDrained = drained.has(attemptId);
  const live: LiveAttempt = { attemptId, jobId, node, state, createdAtMs, done, logDrained };
  return [{ runId, live }];
}

async function decide(orchestration: Orchestration, attempts: readonly { runId: string; live: LiveAttempt }[]) {
  const { storage, slots, observingSinceMs, graceMs, resubmitAfterMs } = orchestration;
  const liveOf = new Map(attempts.map(({ runId, live }) => [runId, live]));
  const runs = await readOpenRuns(storage);
  return reconcile({
    runs: runs.map((run, order) => ({ ...run, order, liveAttempt: liveOf.get(run.runId) ?? null })),
    capacity: { slots, used: attempts.length },
    nowMs: Date.now(),
    observingSinceMs,
    ...(graceMs === undefined ? {} : { graceMs }),
    ...(resubmitAfterMs === undefined ? {} : { resubmitAfterMs }),
  });
}
