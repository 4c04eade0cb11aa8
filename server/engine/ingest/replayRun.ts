import { setImmediate } from "node:timers/promises";
import type { Interruptible } from "#packages/base";
import {
  advancing,
  causesOnly,
  lookingBack,
  makeStatuses,
  type Point,
  shippedConfig,
  startStanding,
  statusesOf,
  toEffective,
  withRates,
} from "#packages/detector";
import type { Pool } from "#server/db/storage/client.ts";
import { inTransaction } from "#server/db/storage/inTransaction.ts";
import {
  type LogState,
  noteUnjudged,
  readLogStates,
  readUndetected,
  type Replayed,
  saveReplays,
} from "#server/db/analysis/detections.ts";
import { readLoggedPointsOf } from "#server/db/runs/points.ts";
import { samplingOf } from "#server/domain/analysis/stability/samplingOf.ts";
import { parseStoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";

/** Maximum log lines that are read and stored together, without those of ancestors. */
const linesAtOnce = 2000;

/** Runs the detector over stored runs from their start: after a resume, under new rules, and for the hindsight label. */
export async function replayRuns(pool: Pool, runIds: readonly string[]): Promise<void> {
  for (const states of splitByLines(await readLogStates(pool, runIds))) await replayTogether(pool, states);
}

/**
 * Replays some of up to `limit` runs with a missing or outdated detector state or label: many short ones or one long
 * one. True if more may remain.
 */
export async function replayWaiting(pool: Pool, limit: number): Promise<boolean> {
  const waiting = await readUndetected(pool, limit);
  const [first = [], ...others] = splitByLines(await readLogStates(pool, waiting));
  await replayTogether(pool, first);
  return others.length > 0 || waiting.length === limit;
}

/** Nothing is stored of a run whose log grew meanwhile. A run that cannot be judged stops no other: its history says why. */
async function replayTogether(pool: Pool, states: readonly LogState[]): Promise<void> {
  const runIds = states.map(({ runId }) => runId);
  const pointsOf = await readLoggedPointsOf(pool, runIds);
  const replays: (LogState & Replayed)[] = [];
  for (const seen of states) {
    const replayed = await replayPoints(pointsOf.get(seen.runId) ?? [], seen).catch((error: unknown) =>
      error instanceof Error ? error.message : String(error),
    );
    if (typeof replayed === "object") replays.push({ ...seen, ...replayed });
    else await noteUnjudged(pool, seen.runId, replayed ?? "its stored points do not ascend");
  }
  await inTransaction(pool, (client) => saveReplays(client, replays));
}

function splitByLines(states: readonly LogState[]): LogState[][] {
  const groups: LogState[][] = [];
  let numLines = Infinity;
  for (const state of states) {
    numLines += state.numLines;
    if (numLines > linesAtOnce) {
      groups.push([]);
      numLines = state.numLines;
    }
    groups.at(-1)?.push(state);
  }
  return groups;
}

/** Specification of a run's cell, and how the run ended. An unfinished run gets no hindsight label. */
type Circumstances = { spec: unknown; isOver: boolean; hasDiverged: boolean };

/** Runs long work in slices, between which other work of this process can run. */
export async function finishInTurns<Result>(work: Interruptible<Result>): Promise<Result> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    await setImmediate();
  }
}

/** Runs the detector over logged points. Undefined if iterations do not ascend. Other work runs meanwhile. */
export async function replayPoints(
  points: readonly Point[],
  { spec, isOver, hasDiverged }: Circumstances,
): Promise<Replayed | undefined> {
  const effective = toEffective(samplingOf(parseStoredSpec(spec), isOver ? points.length : undefined));
  const causes = makeStatuses(causesOnly(shippedConfig), effective);
  const reading = advancing(startStanding(effective, points), points, isOver ? causes.watch : undefined);
  const advanced = await finishInTurns(reading);
  if (advanced === undefined) return undefined;
  const { standing, events } = advanced;
  if (!isOver) return { standing, events, hindsight: null };
  const whole = statusesOf(standing, points);
  const statuses = whole && { whole, causes: causes.statuses };
  const hindsight = await finishInTurns(lookingBack(withRates(points), { effective, hasDiverged, statuses }));
  return { standing, events, hindsight };
}
