import { mkdir } from "node:fs/promises";
import { userInfo } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isEnded, type JobState } from "#server/domain/job.ts";
import type { SlurmNode } from "#server/domain/nodes/node.ts";
import { type Job, type Launcher, parseJobId, type Sighting, type Watched } from "../launcher.ts";
import { readChunk } from "../local.ts";
import type { Bundle } from "../ssh/ship.ts";
import { nameOf, sbatchText, type SlurmRequest } from "./sbatchText.ts";
import { linkHere, shareEarlier, shareTrainer } from "./share.ts";
import {
  findByName,
  hostOf,
  isAbsent,
  type Poll,
  readSacct,
  readSqueue,
  sacctArguments,
  squeueArguments,
  stateOf,
} from "./sightings.ts";
import { readSubmission } from "./submission.ts";
import * as ticket from "./ticket.ts";
import { toJobState } from "./toJobState.ts";
import { type AskSlurm, makeAskSlurm } from "./tools.ts";

export type SlurmOptions = {
  node: SlurmNode;
  home: string;
  bundle: Bundle;
  ask?: AskSlurm;
  /** How often Slurm is asked about all jobs; its controller serves everybody. */
  pollMs?: number;
  /** How long a job may take to stop on request before Slurm kills it. */
  killAfterMs?: number;
  now?: () => number;
};

/** What is known of the cluster beyond one call; all of it may be forgotten. */
type Memory = {
  /** What keeps attempts from being submitted. */
  waiting: Map<string, string>;
  /** Until when sbatch is left alone, after it said "not now". */
  quietUntilMs: number;
  quietMs: number;
  /** Since when which job is missing from the queue. */
  absentSince: Map<string, number>;
  submitting: Map<string, Promise<void>>;
  queue: Promise<void>;
};

/**
 * Jobs of a Slurm cluster whose machines share a file system with this one. The attempt's folder is the second witness:
 * the receipt of the submission, the exit code and the log lie there, so that no answer of Slurm's is ever missed.
 */
export function makeSlurmLauncher(options: SlurmOptions): Launcher {
  const { node, pollMs = 5000, ask = makeAskSlurm(process.env), now = Date.now } = options;
  const memory: Memory = {
    waiting: new Map(),
    quietUntilMs: 0,
    quietMs: 0,
    absentSince: new Map(),
    submitting: new Map(),
    queue: Promise.resolve(),
  };
  const site: Site = { ...options, ask, now, memory, folderOf: (jobId) => sharedFolder(node, jobId) };
  let lastPollMs = 0;
  return {
    node: node.name,
    folderOf: site.folderOf,
    launch: (job) => once(site, job),
    observe: async (jobs) => {
      await sleep(lastPollMs + (jobs.length > 0 ? pollMs : 5 * pollMs) - Date.now());
      const sighting = await observe(site, jobs);
      lastPollMs = Date.now();
      return sighting;
    },
    cancel: async (jobId) => {
      await memory.submitting.get(jobId);
      await cancel(site, jobId);
    },
    readLog: (jobId, fromByte) => readChunk(join(site.folderOf(jobId), "events.jsonl"), fromByte),
  };
}

type Site = SlurmOptions & { ask: AskSlurm; now: () => number; memory: Memory; folderOf: (jobId: string) => string };

function sharedFolder(node: SlurmNode, jobId: string): string {
  const { runId, attempt } = parseJobId(jobId);
  return join(node.folder, "runs", runId, String(attempt));
}

// One submission at a time, and each attempt once, however often it is asked for meanwhile.
function once(site: Site, job: Job): Promise<void> {
  const { memory } = site;
  const under = memory.submitting.get(job.jobId);
  if (under) return under;
  const work = memory.queue.then(() => submit(site, job)).finally(() => memory.submitting.delete(job.jobId));
  memory.submitting.set(job.jobId, work);
  memory.queue = work.catch(() => undefined);
  return work;
}

const maxQuietMs = 120_000;

async function submit(site: Site, job: Job): Promise<void> {
  const { ask, now, memory } = site;
  const folder = site.folderOf(job.jobId);
  const submitted = await ticket.readSubmitted(folder);
  if (submitted.is !== "new" && submitted.is !== "asked") return;
  if (now() < memory.quietUntilMs) return;
  if (submitted.is === "asked" && !(await isSurelyUnknown(site, job.jobId, submitted.atMs))) return;
  await mkdir(folder, { recursive: true });
  if (job.spec.trainer)
    return await ticket.noteAnswer(folder, { refused: "programs of other trainers do not run there" });
  const script = await prepare(site, job, folder);
  if (script === undefined) return;
  await ticket.noteAsked(folder);
  const submittedAtMs = now();
  const result = await ask("sbatch", ["--parsable", script]);
  const answer = readSubmission(result);
  if (answer.kind === "accepted") {
    await ticket.noteAnswer(folder, { slurmId: answer.slurmId, submittedAtMs });
    memory.waiting.delete(job.jobId);
    memory.quietMs = 0;
    return;
  }
  if (answer.kind === "refused") return await ticket.noteAnswer(folder, { refused: answer.why });
  // Back-pressure holds for every submission, not for this one alone.
  memory.quietMs = Math.min(Math.max(10_000, memory.quietMs * 2), maxQuietMs);
  memory.quietUntilMs = now() + memory.quietMs;
  memory.waiting.set(job.jobId, `not submitted yet: ${answer.why}`);
  if (!("timedOut" in result)) await ticket.noteAnswer(folder, "later");
}

const lookAgainMs = 60_000;

// The call before this one left no answer. Its job is looked for by name; Slurm's lists may lag, so a while must pass.
async function isSurelyUnknown(site: Site, jobId: string, askedAtMs: number): Promise<boolean> {
  const poll = await look(site, { sinceMs: askedAtMs, wantsPast: true });
  const slurmId = findByName(nameOf(jobId), poll);
  if (slurmId !== undefined) {
    await ticket.noteAnswer(site.folderOf(jobId), { slurmId, submittedAtMs: askedAtMs });
    return false;
  }
  return poll.squeue !== undefined && site.now() - askedAtMs >= lookAgainMs;
}

/** Everything the job needs, in its folder; the script's path. Undefined when the request cannot even be written. */
async function prepare(site: Site, job: Job, folder: string): Promise<string | undefined> {
  const { node, home, bundle } = site;
  const { runId, attempt } = parseJobId(job.jobId);
  await mkdir(folder, { recursive: true });
  const here = (number: number): string => join(home, "runs", runId, String(number));
  await linkHere(here(attempt), folder);
  const numbers = Array.from({ length: attempt - 1 }, (_, i) => attempt - 1 - i);
  const earlier = await shareEarlier(
    numbers.map((number) => ({ here: here(number), shared: site.folderOf(`${runId}.${number}`) })),
  );
  const trainer = await shareTrainer(node.folder, bundle);
  const specFile = join(folder, "spec.json");
  await ticket.writeWhole(specFile, `${JSON.stringify(job.spec, null, 2)}\n`);
  const command = [node.node, trainer, specFile, folder, ...earlier.flatMap((other) => ["--resume-from", other])];
  const environment = {
    OMP_NUM_THREADS: "1",
    ARLARENA_TRAINER_HASH: basename(dirname(bundle.trainer)),
    ARLARENA_GRAPH_CACHE: join(node.folder, "graphs"),
    ...node.environment,
  };
  const script = join(folder, "job.sbatch");
  try {
    const text = sbatchText({ jobId: job.jobId, folder, command, environment }, requestOf(node, job.avoidHosts ?? []));
    await ticket.writeWhole(script, text);
    return script;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    await ticket.noteAnswer(folder, { refused: error.message });
    return undefined;
  }
}

function requestOf(node: SlurmNode, exclude: readonly string[]): SlurmRequest {
  const { partition, account, qos, time, cpusPerTask, memory, gres, constraint, warnSeconds, requeue } = node;
  const wishes = { partition, account, qos, time, cpusPerTask, memory, gres, constraint };
  const said = Object.fromEntries(Object.entries(wishes).filter(([, value]) => value !== undefined));
  return { ...said, exclude, warnSeconds, requeue };
}

/** One question for all jobs; the accounting is asked only when the queue has lost sight of one. */
async function look(site: Site, { sinceMs, wantsPast }: { sinceMs: number; wantsPast: boolean }): Promise<Poll> {
  const { ask } = site;
  const { username } = userInfo();
  const squeue = readSqueue(await ask("squeue", squeueArguments(username)));
  if (!wantsPast) return { squeue, sacct: undefined };
  return { squeue, sacct: readSacct(await ask("sacct", sacctArguments(username, sinceMs))) };
}

async function observe(site: Site, jobs: readonly Watched[]): Promise<Sighting> {
  const open = await Promise.all(
    jobs.map(async ({ jobId }) => {
      const folder = site.folderOf(jobId);
      return {
        jobId,
        folder,
        submitted: await ticket.readSubmitted(folder),
        traces: await ticket.readTraces(folder, site.now()),
      };
    }),
  );
  let poll = await look(site, { sinceMs: 0, wantsPast: false });
  const missing = open.flatMap(({ submitted }) =>
    submitted.is === "accepted" && (poll.squeue === undefined || isAbsent(submitted.ticket.slurmId, poll))
      ? [submitted.ticket.submittedAtMs]
      : [],
  );
  if (missing.length > 0) {
    const sinceMs = Math.min(...missing);
    const { username } = userInfo();
    poll = { ...poll, sacct: readSacct(await site.ask("sacct", sacctArguments(username, sinceMs))) };
  }
  const states = await Promise.all(open.map(async (job) => [job.jobId, await judge(site, poll, job)] as const));
  const contact =
    poll.squeue === undefined
      ? ({ isMade: false, why: "squeue did not answer" } as const)
      : ({ isMade: true } as const);
  return { states: new Map(states), contact };
}

type Open = {
  jobId: string;
  folder: string;
  submitted: ticket.Submitted;
  traces: Awaited<ReturnType<typeof ticket.readTraces>>;
};

async function judge(site: Site, poll: Poll, { jobId, folder, submitted, traces }: Open): Promise<JobState> {
  const { memory, now, node } = site;
  switch (submitted.is) {
    case "forestalled":
      return { state: "exited", exitCode: 143 };
    case "refused":
      return { state: "lost", evidence: `sbatch refused it: ${submitted.why}`, cause: "submit_refused" };
    case "new":
    case "asked": {
      const why = memory.waiting.get(jobId);
      return why === undefined ? { state: "submitted" } : { state: "submitted", why };
    }
    case "accepted":
      break;
  }
  const { slurmId } = submitted.ticket;
  if (!isAbsent(slurmId, poll)) memory.absentSince.delete(jobId);
  else if (!memory.absentSince.has(jobId)) memory.absentSince.set(jobId, now());
  const absentForMs = now() - (memory.absentSince.get(jobId) ?? now());
  const slurm = stateOf(slurmId, poll, absentForMs);
  // Slurm starts it again by itself, under the same id.
  if (node.requeue && slurm.is === "ended" && (slurm.how === "preempted" || slurm.how === "node_failed")) {
    if (traces.exitAgeMs < maxQuietMs)
      return { state: "queued", why: `${slurm.how}, waits to be requeued`, isStuck: false };
  }
  const state = toJobState(slurm, traces, hostOf(slurmId, poll));
  // What is told to have ended stays ended.
  if (isEnded(state)) await ticket.noteOver(folder);
  return state;
}

async function cancel(site: Site, jobId: string): Promise<void> {
  const { ask, now, killAfterMs = 60_000 } = site;
  const folder = site.folderOf(jobId);
  await mkdir(folder, { recursive: true });
  const submitted = await ticket.readSubmitted(folder);
  if (submitted.is === "new") return await ticket.forestall(folder);
  if (submitted.is === "asked") {
    if (await isSurelyUnknown(site, jobId, submitted.atMs)) await ticket.forestall(folder);
    return;
  }
  if (submitted.is !== "accepted") return;
  const { slurmId } = submitted.ticket;
  const askedAtMs = await ticket.readCancelled(folder);
  if (askedAtMs === undefined) {
    // A waiting job goes at once; of a running one the batch shell is told, which passes it on to the trainer.
    await ask("scancel", ["--state=PENDING", slurmId]);
    await ask("scancel", ["--batch", "--signal=TERM", slurmId]);
    return await ticket.noteCancelled(folder);
  }
  if (now() - askedAtMs >= killAfterMs) await ask("scancel", [slurmId]);
}
