import { countsEpochs } from "#trainer/spec/event.ts";
import type { Client } from "#server/db/client.ts";
import {
  forgetStandings,
  lockStandings,
  saveAdvanced,
  type Advanced,
  type StoredStanding,
} from "#server/db/detections.ts";
import type { StoredUpdate } from "#server/db/logs.ts";
import { detectorVersion } from "#server/domain/stability/config.ts";
import { advance, parseMemory, StatusChanges, type Advance } from "#server/domain/stability/online.ts";
import type { Point } from "#server/domain/stability/signals/point.ts";

/**
 * Reads freshly stored lines of some runs on, in their transaction, one batch a run. Returns the runs to replay from
 * storage once this is committed: their memory was of another attempt, of other rules or of later iterations, and is
 * cleared.
 */
export async function advanceDetections(client: Client, stored: readonly StoredUpdate[]): Promise<ReadonlySet<string>> {
  const fresh = stored.filter(({ update }) => update.points.length > 0);
  if (fresh.length === 0) return new Set();
  const standings = await lockStandings(
    client,
    fresh.map(({ runId }) => runId),
  );
  const standingOf = new Map(standings.map((standing) => [standing.runId, standing]));
  const advanced: Advanced[] = [];
  const lost = new Set<string>();
  for (const one of fresh) {
    const { runId, attemptId } = one;
    const next = readOn(standingOf.get(runId), one);
    if (next) advanced.push({ runId, attemptId, ...next });
    else lost.add(runId);
  }
  if (lost.size > 0) await forgetStandings(client, [...lost]);
  if (advanced.length > 0) await saveAdvanced(client, advanced);
  return lost;
}

function readOn(standing: StoredStanding | undefined, { attemptId, update }: StoredUpdate): Advance | undefined {
  if (standing?.attemptId !== attemptId || standing.detectorVersion !== detectorVersion) return undefined;
  if (standing.memory === null) return undefined;
  const known = { memory: parseMemory(standing.memory), changes: StatusChanges.parse(standing.changes) };
  return advance({ ...standing, ...known }, update.points.map(toPoint));
}

function toPoint({ iteration, keys, values }: StoredUpdate["update"]["points"][number]): Point {
  const trained = keys.flatMap((key, i) => (countsEpochs(key) ? [] : [[key, values[i] ?? NaN] as const]));
  return { iteration, values: Object.fromEntries(trained) };
}
