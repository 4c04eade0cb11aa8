import { z } from "zod";
import type { Client } from "#server/db/storage/client.ts";
import {
  forgetStandings,
  lockStandings,
  readBeginnings,
  saveAdvanced,
  saveWhole,
  type Advanced,
  type StoredStanding,
} from "#server/db/analysis/detections.ts";
import { readLoggedChanges } from "#server/db/analysis/externalChanges.ts";
import type { StoredUpdate } from "#server/db/runs/logs.ts";
import {
  detectorVersion,
  advancing,
  parseMemory,
  StatusChanges,
  type Advance,
  isRead,
  withChanges,
  type Point,
} from "#packages/detector";
import { finishInTurns, replayPoints } from "./replayRun.ts";

/**
 * Runs the detector on freshly stored log lines of several runs, in the transaction that stored them. Returns the
 * runs to replay from storage after the commit. These have finished and need the hindsight label, or their detector
 * state does not fit (other attempt, rules or iterations). With `hasMore`, logs of ended jobs continue: their
 * detector states are deleted, and each log is replayed as a whole at its end.
 */
export async function advanceDetections(
  client: Client,
  stored: readonly StoredUpdate[],
  { hasMore }: { hasMore: boolean },
): Promise<ReadonlySet<string>> {
  if (hasMore && stored.every(({ update }) => update.done === null)) {
    const runIds = stored.map(({ runId }) => runId);
    await forgetStandings(client, runIds);
    return new Set();
  }
  // If a setting changed at an iteration that the detector has already processed, the run is replayed from its start.
  const changed = new Set(stored.filter(({ update }) => update.changes.length > 0).map(({ runId }) => runId));
  if (changed.size > 0) await forgetStandings(client, [...changed]);
  const steady = stored.filter(({ runId }) => !changed.has(runId));
  const begun = await beginDetections(client, steady);
  const others = steady.filter(({ runId }) => !begun.has(runId));
  const lost = await readOnAll(
    client,
    others.filter(({ update }) => update.points.length > 0),
  );
  return new Set([
    ...changed,
    ...lost,
    ...others.filter(({ update }) => update.done !== null).map(({ runId }) => runId),
  ]);
}

/** Runs the detector on the runs whose whole log so far is in these updates. Returns the ids of those runs. */
async function beginDetections(client: Client, stored: readonly StoredUpdate[]): Promise<ReadonlySet<string>> {
  const first = stored.filter(({ update }) => update.logOffset === 0 && update.points.length > 0);
  if (first.length === 0) return new Set();
  const beginnings = await readBeginnings(
    client,
    first.map(({ attemptId }) => attemptId),
  );
  const beginningOf = new Map(beginnings.map((beginning) => [beginning.runId, beginning]));
  const whole: Parameters<typeof saveWhole>[1][number][] = [];
  for (const { runId, attemptId, update } of first) {
    const beginning = beginningOf.get(runId);
    const points = joinIterations(toPoints(update.points));
    // A branch needs its origin's points before its own, so it is replayed from storage.
    if (beginning === undefined || points === undefined || isBranch(beginning.spec)) continue;
    const isOver = update.done !== null || !beginning.isLive;
    const hasDiverged = update.done?.exit === "diverged";
    const replayed = await replayPoints(points, { spec: beginning.spec, isOver, hasDiverged });
    if (replayed === undefined) continue;
    whole.push({ runId, attemptId, ...replayed });
  }
  await saveWhole(client, whole);
  return new Set(whole.map(({ runId }) => runId));
}

const Branch = z.looseObject({ initialisation: z.looseObject({ kind: z.literal("branch") }) });

function isBranch(spec: unknown): boolean {
  return Branch.safeParse(spec).success;
}

async function readOnAll(client: Client, fresh: readonly StoredUpdate[]): Promise<ReadonlySet<string>> {
  if (fresh.length === 0) return new Set();
  const standings = await lockStandings(
    client,
    fresh.map(({ runId }) => runId),
  );
  const standingOf = new Map(standings.map((standing) => [standing.runId, standing]));
  const changes = await readLoggedChanges(client, [...standingOf.keys()]);
  const advanced: Advanced[] = [];
  const lost = new Set<string>();
  for (const one of fresh) {
    const { runId, attemptId } = one;
    const standing = standingOf.get(runId);
    const ahead = changes.filter((change) => change.runId === runId && change.iteration > (standing?.iteration ?? -1));
    const next = await readOn(standing, { ...one, changedAt: ahead.map(({ iteration }) => iteration) });
    if (next) advanced.push({ runId, attemptId, ...next });
    else lost.add(runId);
  }
  if (lost.size > 0) await forgetStandings(client, [...lost]);
  if (advanced.length > 0) await saveAdvanced(client, advanced);
  return lost;
}

async function readOn(
  standing: StoredStanding | undefined,
  { attemptId, update, changedAt }: StoredUpdate & { changedAt: readonly number[] },
): Promise<Advance | undefined> {
  if (standing?.attemptId !== attemptId || standing.detectorVersion !== detectorVersion) return undefined;
  if (standing.memory === null) return undefined;
  const known = { memory: parseMemory(standing.memory), changes: StatusChanges.parse(standing.changes) };
  return await finishInTurns(advancing({ ...standing, ...known }, withChanges(toPoints(update.points), changedAt)));
}

/** Merges log lines into one point per iteration, as read from storage. Undefined if iterations do not ascend. */
function joinIterations(lines: readonly Point[]): Point[] | undefined {
  const points: Point[] = [];
  for (const { iteration, values } of lines) {
    if (isEmpty(values)) continue;
    const last = points.at(-1);
    if (last && iteration < last.iteration) return undefined;
    if (last?.iteration === iteration) points[points.length - 1] = { iteration, values: { ...last.values, ...values } };
    else points.push({ iteration, values });
  }
  return points;
}

function isEmpty(values: Point["values"]): boolean {
  for (const _ in values) return false;
  return true;
}

/** Converts log lines to points with only the metrics that the detector reads. */
function toPoints(lines: StoredUpdate["update"]["points"]): Point[] {
  const readOf = new Map<readonly string[], readonly (readonly [key: string, index: number])[]>();
  return lines.map(({ iteration, keys, values }) => {
    const read = readOf.get(keys) ?? keys.map((key, i) => [key, i] as const).filter(([key]) => isRead(key));
    readOf.set(keys, read);
    const known: Record<string, number> = {};
    for (const [key, i] of read) known[key] = values[i] ?? NaN;
    return { iteration, values: known };
  });
}
