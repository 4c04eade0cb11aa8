import { writeWhole } from "#server/config/writeWhole.ts";
import { tryJson } from "#trainer/spec/tryJson.ts";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join, basename, dirname } from "node:path";
import { isDiskFull } from "#trainer/spec/diskFull.ts";
import type { JobState, EndCause } from "#server/domain/fleet/job.ts";
import type { Observation, Watched } from "../launcher.ts";
import { ageOf, makeLimit } from "../pace.ts";
import type { Cluster, JobDetails } from "./api.ts";
import { growingFiles } from "../ssh/protocol.ts";
import { keepPiece } from "../ssh/mirror.ts";
import { readExitCode } from "../files.ts";
import { CourierLine, type FilePiece, lineMark, notOursCode, readReceipt, type Receipt } from "./protocol.ts";

/** Maximum number of concurrent requests, because the Ray head serves all users. */
const maxRequests = 8;

export async function observe(cluster: Cluster, jobs: readonly Watched[]): Promise<Observation> {
  const session = await cluster.api.readSession().catch(toError);
  if (session instanceof Error) {
    const unknown = { state: "unknown", why: session.message } as const;
    return {
      states: new Map(jobs.map(({ jobId }) => [jobId, unknown])),
      contact: { isMade: false, why: session.message },
    };
  }
  const inTurn = makeLimit(maxRequests);
  const states = jobs.map(async ({ jobId }) => {
    // An error for one job must not affect the other jobs.
    const state = await inTurn(() => look(cluster, jobId, session)).catch(unknownBecause);
    return [jobId, state] as const;
  });
  return { states: new Map(await Promise.all(states)), contact: { isMade: true } };
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
  const { api, absenceMs, memory, folderOf, now } = cluster;
  const details = await api.readJob(jobId);
  const absentMs = ageOf(memory.absentSince, { jobId, isSo: details === undefined, nowMs: now() });
  if (details === undefined) {
    const exitCode = await readExitCode(folderOf(jobId));
    if (exitCode !== undefined) return { state: "exited", exitCode };
    if (absentMs < absenceMs) return { state: "unknown", why: "Ray has no record of the job" };
    const since =
      session === receipt.session
        ? ""
        : `: it was submitted to the Ray session ${receipt.session}, but the current one is ${session}`;
    return { state: "lost", evidence: `Ray no longer has a record of the job${since}`, cause: "node_failed" };
  }
  const problem = await bringLog(cluster, jobId, details);
  const hasEnded = details.status !== "PENDING" && details.status !== "RUNNING";
  const isUnread = problem !== undefined && hasEnded;
  const unreadMs = ageOf(memory.unreadSince, { jobId, isSo: isUnread, nowMs: now() });
  // The job's machine may respond again. If it does not within `absenceMs`, the end is reported without the log's
  // rest.
  if (isUnread && unreadMs < absenceMs) {
    return { state: "unknown", why: `the job has ended, but its log cannot be read: ${problem.message}` };
  }
  const exitCode = await readExitCode(folderOf(jobId));
  const state = toJobState(details, { exitCode, isCancelled: receipt.cancelledAtMs !== undefined });
  if (state.state !== "running" || problem === undefined) return state;
  return { ...state, text: `the job's log cannot be read now: ${problem.message}` };
}

/** Copies new lines of a job's log in order. Returns the problem if the log cannot be read. */
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

/** Writes the file content in a courier line into the attempt's folder. Idempotent. */
export async function keepLine(folder: string, line: CourierLine): Promise<void> {
  if ("exit" in line) return await writeWhole(join(folder, "exit"), `${line.exit}\n`);
  if (growingFiles.some((name) => name === line.name)) return await keepPiece(folder, line);
  await keepPart(folder, line);
}

/** Writes a piece of a file other than a log. Pieces collect under a temporary name; the complete file is renamed. */
async function keepPart(folder: string, { name, fromByte, sizeBytes, base64 }: FilePiece): Promise<void> {
  const path = join(folder, name);
  const draft = `${path}.part`;
  const bytes = Buffer.from(base64, "base64");
  await mkdir(dirname(path), { recursive: true });
  const file = await open(draft, fromByte === 0 ? "w" : "r+").catch((error: unknown) => {
    // The file is already complete, and the log that contains its pieces is being read again.
    if (fromByte > 0) return undefined;
    throw error;
  });
  if (file === undefined) return;
  try {
    await file.write(bytes, 0, bytes.length, fromByte);
  } finally {
    await file.close();
  }
  if (fromByte + bytes.length < sizeBytes) return;
  await rename(draft, path);
  if (isCheckpoint(basename(path))) await dropOlder(dirname(path));
}

const isCheckpoint = (name: string): boolean => /^iteration-\d+\.safetensors$/.test(name);

/** Deletes all but the two newest checkpoints, as the trainer does. */
async function dropOlder(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter(isCheckpoint).toSorted();
  for (const name of names.slice(0, -2)) await rm(join(folder, name), { force: true });
}

/** Reads the last `numLines` lines of a job's log; -1 means all lines. */
type ReadTail = (numLines: number) => Promise<string>;

/** Returns a log's lines from number `next` on, without a gap. Ray's log has no offsets, so longer tails are read. */
export async function readLines(readTail: ReadTail, next: number): Promise<CourierLine[]> {
  for (const numLines of [16, 256]) {
    const lines = parseLines(await readTail(numLines));
    if (lines[0] !== undefined && lines[0].n <= next) return following(lines, next);
  }
  return following(parseLines(await readTail(-1)), next);
}

/** Finds the courier's lines among other output. The first and the last line may be cut off, and are skipped. */
function parseLines(text: string): CourierLine[] {
  return text.split("\n").flatMap((line) => {
    const at = line.indexOf(lineMark);
    if (at === -1) return [];
    return CourierLine.safeParse(tryJson(line.slice(at + lineMark.length))).data ?? [];
  });
}

function following(lines: readonly CourierLine[], next: number): CourierLine[] {
  const whole: CourierLine[] = [];
  for (const line of lines) if (line.n === next + whole.length) whole.push(line);
  return whole;
}

type Traces = {
  exitCode: number | undefined;
  isCancelled: boolean;
};

/** Derives a job's state from Ray's response and from the log, which for an ended job has been read to its end. */
export function toJobState(details: JobDetails, { exitCode, isCancelled }: Traces): JobState {
  const { status, driver_exit_code: driverCode } = details;
  const host = hostOf(details);
  const where = host === undefined ? {} : { host };
  if (status === "PENDING") return { state: "queued", why: details.message ?? "pending", isStuck: false };
  if (status === "RUNNING") return { state: "running", ...where };
  const cause = causeOf(details, isCancelled);
  const end = { ...where, ...(cause !== undefined && { cause }) };
  if (exitCode !== undefined) return { state: "exited", exitCode, ...end };
  if (driverCode === notOursCode)
    return { state: "lost", evidence: "another job of this attempt has its folder", ...end };
  if (status === "STOPPED" && isCancelled) return { state: "exited", exitCode: 143, ...where };
  // The courier was killed before it wrote an exit code. Python reports an exit by signal as a negative number.
  if (typeof driverCode === "number" && driverCode !== 0) {
    return { state: "exited", exitCode: driverCode < 0 ? 128 - driverCode : driverCode, ...end };
  }
  return { state: "lost", evidence: `Ray says ${status}: ${shorten(details.message ?? "")}`, ...end };
}

/** Returns a job's machine; undefined before Ray assigned one. Ray writes the port -1 for an agent without one. */
function hostOf({ driver_agent_http_address: address }: JobDetails): string | undefined {
  return /^https?:\/\/(\[[^\]]+\]|[^:/]+)/.exec(address ?? "")?.[1];
}

function causeOf(details: JobDetails, isCancelled: boolean): EndCause | undefined {
  const { status, error_type: type, message } = details;
  if (status === "STOPPED") return isCancelled ? undefined : "cancelled_outside";
  if (status === "SUCCEEDED") return undefined;
  switch (type) {
    case null:
    case undefined:
      return undefined;
    case "JOB_SUPERVISOR_ACTOR_UNSCHEDULABLE":
      return "submit_refused";
    case "JOB_SUPERVISOR_ACTOR_START_FAILURE":
      // Ray could not start the job's supervisor; otherwise, a restarted head lost it.
      return message?.startsWith("Failed to start supervisor actor") === true ? "submit_refused" : "node_failed";
    case "JOB_SUPERVISOR_ACTOR_DIED":
    case "JOB_SUPERVISOR_ACTOR_UNKNOWN_FAILURE":
      // The message tells if Ray's memory monitor killed the supervisor.
      return /running low on memory|OOM kill/.test(message ?? "") ? "out_of_memory" : "node_failed";
    case "RUNTIME_ENV_SETUP_FAILURE":
    case "JOB_SUPERVISOR_ACTOR_START_TIMEOUT":
      return "node_failed";
    default:
      return undefined;
  }
}

/** Returns the first line of a message, its summary. A traceback or the end of a log follows it. */
function shorten(message: string): string {
  return (message.trim().split("\n")[0] ?? "").slice(0, 500);
}
