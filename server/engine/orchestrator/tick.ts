import { open } from "node:fs/promises";
import { join } from "node:path";
import { isNews, type LiveAttemptRow, readLiveAttempts, readPaces, saveJobState } from "#server/db/fleet/attempts.ts";
import { endIdleRuns, readOpenRuns } from "#server/db/fleet/decisions.ts";
import { saveHeartbeat } from "#server/db/fleet/leadership.ts";
import { applyStopping, readWatchedRuns } from "#server/db/plan/stopping.ts";
import { saveNodes } from "#server/db/fleet/nodes.ts";
import { decideStopping } from "#server/domain/plan/stopping/stopping.ts";
import { minSilenceMs, type Silence } from "#server/domain/fleet/silence.ts";
import { isEnded, type JobState } from "#server/domain/fleet/job.ts";
import type { Assignment, Offer } from "#server/domain/fleet/nodes/assign.ts";
import { lacksOf } from "#server/domain/fleet/nodes/providers.ts";
import type { Node } from "#server/domain/fleet/nodes/node.ts";
import { freeSlots, listSlots } from "#server/domain/fleet/nodes/slots.ts";
import { listSteady, reconcile, type ReconcileRun } from "#server/domain/fleet/reconcile.ts";
import type { Storage } from "#server/engine/ingest/applyUpdates.ts";
import { applyTogether, type FreshBytes } from "#server/engine/ingest/applyTogether.ts";
import { drainLog } from "#server/engine/ingest/drainLog.ts";
import { type OpenEvaluation, readOpenEvaluations } from "#server/db/runs/evaluations.ts";
import type { Launcher, Watched } from "#server/engine/launchers/launcher.ts";
import { act, type Effects } from "./act.ts";
import { settleEvaluations, startEvaluations } from "./evaluateStored.ts";
import { searchOn } from "./searchOn.ts";
import { isReachable, type Watch } from "./watch.ts";

export type Orchestration = {
  storage: Storage;
  watches: readonly Watch[];
  /** Node that only evaluates finished runs and trains none; undefined if there is none. */
  evaluator: Watch | undefined;
  lastNotes: Effects["lastNotes"];
  busy: Effects["busy"];
  /** Size of each live attempt's log, and the time since when it has not grown while its job was running. */
  growth: Map<number, { logOffset: number; sinceMs: number }>;
  /** Time in ms of silence before which a run counts as logging; `minSilenceMs` by default. */
  minSilenceMs?: number;
  observingSinceMs: number;
  graceMs?: number;
  resubmitAfterMs?: number;
  /** Gives a node its current price. */
  priced?: (node: Node) => Node;
  log: (text: string) => void;
};

/** Performs one round of the orchestrator: loads, observes, reads logs, decides, acts, and records a heartbeat. */
export async function tick(orchestration: Orchestration): Promise<void> {
  const { storage, watches, evaluator, lastNotes, busy } = orchestration;
  const all = evaluator ? [...watches, evaluator] : watches;
  const sites = new Map(all.map(({ node, launcher }) => [node.name, { node, launcher }]));
  const before = await readLiveAttempts(storage);
  const evaluations = await readOpenEvaluations(storage, "running");
  const seen = await observe(all, [...before, ...evaluations.flatMap(toWatched)]);
  const observed = before.flatMap((attempt): Observed[] => {
    const state = seen.get(attempt.jobId);
    return state ? [{ attempt, state, launcher: sites.get(attempt.node)?.launcher }] : [];
  });
  const settled = await ingestTogether(orchestration, observed);
  const drained = new Set<number>();
  const unsettled = observed.filter(({ attempt }) => !settled.has(attempt.attemptId));
  for (const one of unsettled) {
    if (await ingest(orchestration, one)) drained.add(one.attempt.attemptId);
  }
  await stopByRule(storage);
  const states = new Map(observed.map(({ attempt, state }) => [attempt.attemptId, state]));
  const live = await readAgain(storage, { before, changed: unsettled.map(({ attempt }) => attempt.attemptId) });
  const effects = { database: storage, sites, lastNotes, busy, patienceEndsMs: Date.now() + actingMs };
  const evaluating = await settleEvaluations(effects, { evaluations, seen, clock: orchestration });
  const leases = [...live, ...evaluating].map(({ node, devices }): Assignment => ({ node: node ?? "", devices }));
  const offers = all.map((watch) => toOffer(watch, leases));
  leases.push(...(await startEvaluations(effects, offers)));
  const nodes = watches.map((watch) => toOffer(watch, leases));
  const silences = await findSilent(orchestration, live, states);
  const lastWords = await readLastOutput(observed, drained);
  const now = { live, states, drained, nodes, silences, lastWords };
  const actions = await decide(orchestration, now);
  const ends = actions.flatMap((action) => (action.do === "end" && action.attemptId === null ? [action] : []));
  await endIdleRuns(storage, ends.slice(0, maxEnds));
  for (const action of actions) {
    if (action.do !== "end" || action.attemptId !== null) await act(effects, action);
  }
  // Searches are advanced after ended runs are recorded, so that they add their next trials in the same round.
  await searchOn(storage);
  await recordHeartbeat(orchestration);
}

type Reread = { before: readonly LiveAttemptRow[]; changed: readonly number[] };

/** Reads live attempts again after their logs were applied, except those with only new measurements. */
async function readAgain(storage: Storage, { before, changed }: Reread): Promise<LiveAttemptRow[]> {
  const fresh = changed.length === 0 ? [] : await readLiveAttempts(storage, changed);
  const freshOf = new Map(fresh.map((attempt) => [attempt.attemptId, attempt]));
  const stale = new Set(changed);
  return before.flatMap((attempt) => {
    const now = stale.has(attempt.attemptId) ? freshOf.get(attempt.attemptId) : attempt;
    return now ? [now] : [];
  });
}

async function stopByRule({ pool }: Storage): Promise<void> {
  for (const { runId, rule, ...run } of await readWatchedRuns(pool)) {
    const decision = decideStopping(rule, run);
    if (decision) await applyStopping(pool, runId, decision);
  }
}

type Observed = { attempt: LiveAttemptRow; state: JobState; launcher: Launcher | undefined };

/** Maximum number of runs without a job that end in one round, so that the round takes seconds. */
const maxEnds = 5000;
const patienceMs = 300;
const actingMs = 1000;

type PlacedJob = Watched & { node: string };

function toWatched({ jobId, node }: OpenEvaluation): PlacedJob[] {
  return jobId === null || node === null ? [] : [{ jobId, node, logOffset: 0 }];
}

/** Returns the states of jobs whose nodes have responded or failed by now, or are no longer configured. */
async function observe(watches: readonly Watch[], jobs: readonly PlacedJob[]): Promise<Map<string, JobState>> {
  const seen = watches.map(async ({ node, look }) => {
    const ofNode = jobs.filter((job) => job.node === node.name);
    const states = await look(ofNode, patienceMs);
    return ofNode.flatMap(({ jobId }) => {
      const state = states?.get(jobId);
      return state ? [[jobId, state] as const] : [];
    });
  });
  const names = new Set(watches.map(({ node }) => node.name));
  const homeless = jobs.flatMap(({ jobId, node }) =>
    names.has(node)
      ? []
      : [[jobId, { state: "unknown" as const, why: `the nodes file no longer has a node ${node}` }] as const],
  );
  return new Map([...(await Promise.all(seen)).flat(), ...homeless]);
}

/** Maximum new bytes of a log that is applied together with other logs; a longer log is applied on its own. */
const maxTogetherBytes = 1 << 16;

/** Stores new measurements of running jobs in one transaction. Returns attempts that `ingest` need not process. */
async function ingestTogether({ storage }: Orchestration, observed: readonly Observed[]): Promise<ReadonlySet<number>> {
  const idle: number[] = [];
  const fresh: FreshBytes[] = [];
  for (const { attempt, state, launcher } of observed) {
    if (launcher === undefined || isEnded(state) || isNews(attempt, state)) continue;
    // A log that cannot be read is skipped here: `ingest` reads it on its own and reports the error.
    const bytes = await launcher.readLog(attempt.jobId, attempt.logOffset).catch(() => undefined);
    if (bytes?.length === 0) idle.push(attempt.attemptId);
    else if (bytes !== undefined && bytes.length < maxTogetherBytes) fresh.push({ position: attempt, bytes });
  }
  return new Set([...idle, ...(await applyTogether(storage, fresh))]);
}

/** Stores an attempt's new log bytes. True if the job has ended and its log is read to the end. */
async function ingest({ storage, log }: Orchestration, { attempt, state, launcher }: Observed): Promise<boolean> {
  if (isNews(attempt, state)) await saveJobState(storage, attempt.attemptId, state);
  if (launcher === undefined) return false;
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

/** Returns the silence of attempts whose job runs and whose log has not grown for a while, by the studio's clock. */
async function findSilent(
  { storage, growth, minSilenceMs: minMs = minSilenceMs }: Orchestration,
  live: readonly LiveAttemptRow[],
  states: ReadonlyMap<number, JobState>,
): Promise<ReadonlyMap<number, Silence>> {
  const nowMs = Date.now();
  const silent: { attemptId: number; ms: number }[] = [];
  for (const { attemptId, logOffset } of live) {
    const before = growth.get(attemptId);
    const isQuiet = before?.logOffset === logOffset && states.get(attemptId)?.state === "running";
    const sinceMs = isQuiet ? before.sinceMs : nowMs;
    growth.set(attemptId, { logOffset, sinceMs });
    if (nowMs - sinceMs >= minMs) silent.push({ attemptId, ms: nowMs - sinceMs });
  }
  const ids = new Set(live.map(({ attemptId }) => attemptId));
  for (const attemptId of growth.keys()) if (!ids.has(attemptId)) growth.delete(attemptId);
  const silentIds = silent.map(({ attemptId }) => attemptId);
  const paces = await readPaces(storage, silentIds);
  return new Map(silent.map(({ attemptId, ms }) => [attemptId, { ms, iterationMs: paces.get(attemptId) ?? null }]));
}

const maxLastBytes = 16_384;

/** Reads the end of the error output of jobs that ended without a `done` event, which says why. */
async function readLastOutput(
  observed: readonly Observed[],
  drained: ReadonlySet<number>,
): Promise<ReadonlyMap<number, string>> {
  const texts = new Map<number, string>();
  for (const { attempt, state, launcher } of observed) {
    const isMute = state.state === "exited" && drained.has(attempt.attemptId) && attempt.done === null;
    if (!isMute || launcher === undefined) continue;
    const text = await readEnd(join(launcher.folderOf(attempt.jobId), "stderr.log")).catch(() => undefined);
    if (text !== undefined) texts.set(attempt.attemptId, text);
  }
  return texts;
}

async function readEnd(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const length = Math.min(size, maxLastBytes);
    const { buffer } = await file.read({ buffer: Buffer.alloc(length), position: size - length });
    return buffer.toString("utf8");
  } finally {
    await file.close();
  }
}

type Seen = {
  live: readonly LiveAttemptRow[];
  states: ReadonlyMap<number, JobState>;
  drained: ReadonlySet<number>;
  nodes: readonly Offer[];
  silences: ReadonlyMap<number, Silence>;
  lastWords: ReadonlyMap<number, string>;
};

async function decide({ storage, ...clock }: Orchestration, seenNow: Seen) {
  const { live, states, drained, nodes, silences, lastWords } = seenNow;
  const liveRuns = new Set(live.map(({ runId }) => runId));
  // Attempts whose job was not observed in this round are skipped: nothing is decided about them.
  const seen = live.flatMap((attempt) => {
    const state = states.get(attempt.attemptId);
    const { attemptId } = attempt;
    const facts = { silence: silences.get(attemptId), lastWords: lastWords.get(attemptId) };
    return state === undefined ? [] : [{ ...attempt, ...facts, state, logDrained: drained.has(attemptId) }];
  });
  const attemptOf = new Map(seen.map((attempt) => [attempt.runId, attempt]));
  // Slots on a full disk count as free here, so that their runs are loaded and reported as waiting for space.
  const isRoom = nodes.some(({ isReachable, free }) => isReachable && free.length > 0);
  const unfinished = await readOpenRuns(storage, { isRoom, steady: listSteady(seen, nodes) });
  const runs = unfinished.flatMap((run, order): ReconcileRun[] => {
    const liveAttempt = attemptOf.get(run.runId) ?? null;
    return liveAttempt === null && liveRuns.has(run.runId) ? [] : [{ ...run, order, liveAttempt }];
  });
  return reconcile({ ...clock, runs, nodes, nowMs: Date.now() });
}

function toOffer({ node, news }: Watch, leases: readonly Assignment[]): Offer {
  const { name, labels, priority } = node;
  const slots = listSlots(node.slots);
  const leased = leases.filter((lease) => lease.node === name).flatMap(({ devices }) => devices);
  const seen = news();
  return {
    name,
    labels,
    priority,
    per: node.slots.per,
    slots,
    free: freeSlots(slots, leased),
    isReachable: isReachable(seen),
    isDiskFull: seen.disk?.isFull ?? false,
    lacks: lacksOf(node, seen.machines),
  };
}

async function recordHeartbeat({ storage, watches, priced = (node) => node }: Orchestration): Promise<void> {
  const slots = watches.reduce((sum, { node }) => sum + listSlots(node.slots).length, 0);
  await saveHeartbeat(storage, { slots });
  await saveNodes(
    storage,
    watches.map(({ news }) => ({ ...news(), node: priced(news().node) })),
  );
}
