import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDiskFull } from "#trainer/spec/diskFull.ts";
import type { JobState } from "#server/domain/fleet/job.ts";
import type { Observation, Watched } from "../launcher.ts";
import { ignoreMissing } from "../processIdentity.ts";
import type { JobDetails } from "./api.ts";
import { keepLine } from "./keepLine.ts";
import type { Cluster } from "./cluster.ts";
import { readLines } from "./readLines.ts";
import { readReceipt, type Receipt } from "./receipt.ts";
import { hostOf, toJobState } from "./toJobState.ts";

/** Maximum concurrent requests: the head serves all users. */
const numLanes = 8;

/** Polls the head, and each job with its new log lines. */
export async function observe(cluster: Cluster, jobs: readonly Watched[]): Promise<Observation> {
  const session = await cluster.api.readSession().catch(toError);
  if (session instanceof Error) {
    const unknown = { state: "unknown", why: session.message } as const;
    return {
      states: new Map(jobs.map(({ jobId }) => [jobId, unknown])),
      contact: { isMade: false, why: session.message },
    };
  }
  const states = new Map<string, JobState>();
  const waiting = [...jobs];
  const lanes = Array.from({ length: numLanes }, async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const { jobId } = job;
      // An error for one job must not affect the others.
      const state = await look(cluster, jobId, session).catch((error: unknown): JobState => unknownBecause(error));
      states.set(jobId, state);
    }
  });
  await Promise.all(lanes);
  return { states, contact: { isMade: true } };
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function unknownBecause(error: unknown): JobState {
  const { message } = toError(error);
  return {
    state: "unknown",
    why: isDiskFull(error) ? `disk full here: what the job logged waits there (${message})` : message,
  };
}

async function look(cluster: Cluster, jobId: string, session: string): Promise<JobState> {
  const receipt = await readReceipt(cluster.folderOf(jobId));
  switch (receipt.is) {
    case "new":
    case "asked":
      return { state: "submitted" };
    case "refused":
      return { state: "lost", evidence: `Ray refused it: ${receipt.why}`, cause: "submit_refused" };
    case "prevented":
      return { state: "exited", exitCode: 143 };
    case "accepted":
      return await lookAtAccepted(cluster, { jobId, receipt, session });
  }
}

type Accepted = { jobId: string; receipt: Extract<Receipt, { is: "accepted" }>; session: string };

async function lookAtAccepted(cluster: Cluster, { jobId, receipt, session }: Accepted): Promise<JobState> {
  const { api, absenceMs, memory, folderOf } = cluster;
  const details = await api.readJob(jobId);
  const absentMs = age(cluster, memory.absentSince, { jobId, isSo: details === undefined });
  if (details === undefined) {
    const exitCode = await readExitCode(folderOf(jobId));
    if (exitCode !== undefined) return { state: "exited", exitCode };
    if (absentMs < absenceMs) return { state: "unknown", why: "Ray does not know it (any more)" };
    const since = session === receipt.session ? "" : `: it was taken by ${receipt.session}, and this is ${session}`;
    return { state: "lost", evidence: `Ray does not know it any more${since}`, cause: "node_failed" };
  }
  const problem = await bringLog(cluster, jobId, details);
  const hasEnded = details.status !== "PENDING" && details.status !== "RUNNING";
  const unreadMs = age(cluster, memory.unreadSince, { jobId, isSo: problem !== undefined && hasEnded });
  // The machine with the log may answer again. If it does not, the end is reported without it.
  if (problem !== undefined && hasEnded && unreadMs < absenceMs) {
    return { state: "unknown", why: `it has ended, and its log cannot be read: ${problem.message}` };
  }
  const exitCode = await readExitCode(folderOf(jobId));
  const state = toJobState(details, { exitCode, isCancelled: receipt.cancelledAtMs !== undefined });
  if (state.state !== "running" || problem === undefined) return state;
  return { ...state, text: `its log cannot be read now: ${problem.message}` };
}

/** Copies new log lines in order; returns the problem, if any. */
async function bringLog({ api, memory, folderOf }: Cluster, jobId: string, details: JobDetails) {
  const nodeId = details.driver_node_id;
  if (!nodeId || hostOf(details) === undefined) return undefined;
  try {
    const next = memory.numLines.get(jobId) ?? 0;
    const lines = await readLines((numLines) => api.readLog(jobId, { nodeId, lines: numLines }), next);
    for (const line of lines) {
      await keepLine(folderOf(jobId), line);
      memory.numLines.set(jobId, line.n + 1);
    }
    return undefined;
  } catch (error) {
    if (isDiskFull(error)) throw error;
    return toError(error);
  }
}

async function readExitCode(folder: string): Promise<number | undefined> {
  const text = await readFile(join(folder, "exit"), "utf8").catch(ignoreMissing);
  return text === undefined ? undefined : Number.parseInt(text, 10);
}

/** Time since which a condition has held for a job without interruption. */
function age({ now }: Cluster, since: Map<string, number>, { jobId, isSo }: { jobId: string; isSo: boolean }): number {
  if (!isSo) since.delete(jobId);
  else if (!since.has(jobId)) since.set(jobId, now());
  return now() - (since.get(jobId) ?? now());
}
