import type { Database } from "#server/db/client.ts";
import type { Notification, Notifications } from "#server/db/notifications.ts";
import { readSeries, readSeriesSince, type PointCursor } from "#server/db/points.ts";
import { readRunIds, readRuns, type RunRow, type RunScope } from "#server/db/runs.ts";
import type { Chart, ChartDelta } from "#server/domain/series/chartData.ts";
import { makeCharts, makeDeltas, type ChartCell, type ChartOptions } from "#server/domain/series/makeCharts.ts";
import { coalesce } from "../coalesce.ts";

export type ChartSelection = { scope: RunScope; keys: string[]; options: ChartOptions };
export type ChartAnswer = { cursor: string; charts: Chart[] };
export type LiveNews = {
  cursor: string;
  charts: ChartDelta[];
  runs: RunRow[];
  /** Runs were added or taken back: what the reader has was made of others. */
  isRegrouped: boolean;
};

/** News within this time travel together: well below what a reader notices, far above what a busy sweep sends. */
const gatherMs = 300;

export async function readCharts(database: Database, { scope, keys, options }: ChartSelection): Promise<ChartAnswer> {
  const cells = await readRunIds(database, scope);
  const runIds = cells.flatMap((cell) => cell.runIds);
  const { cursor, series } = await readSeriesSince(database.pool, { runIds, keys, cursor: {} });
  return { cursor: encodeCursor(cursor), charts: makeCharts(series, { cells, keys, options }) };
}

/** What changed since a cursor, then what changes, until the reader leaves. */
export async function* followCharts(
  { database, notifications }: { database: Database; notifications: Notifications },
  { selection, since, signal }: { selection: ChartSelection; since: string; signal: AbortSignal | undefined },
): AsyncGenerator<LiveNews> {
  const { scope } = selection;
  let cells = await readRunIds(database, scope);
  let cursor = decodeCursor(since);
  const sent = new Map<string, string>();
  for await (const news of coalesce(notifications.subscribe(signal), gatherMs, signal)) {
    if (news.length > 0 && !news.some((one) => concerns(one, scope))) continue;
    const rows = await readRuns(database, scope);
    const isRegrouped = !areOf(cells, rows);
    if (isRegrouped) cells = await readRunIds(database, scope);
    const delta = await readDeltas(database, { ...selection, cells, since: cursor });
    const runs = rows.filter((run) => sent.get(run.id) !== JSON.stringify(run));
    for (const run of runs) sent.set(run.id, JSON.stringify(run));
    cursor = delta.cursor;
    if (runs.length > 0 || delta.charts.length > 0 || isRegrouped) {
      yield { cursor: encodeCursor(cursor), charts: delta.charts, runs, isRegrouped };
    }
  }
}

/** A sweep's runs are frozen when it is launched, but seeds are added and taken back. */
function areOf(cells: readonly ChartCell[], rows: readonly RunRow[]): boolean {
  const ids = new Set(cells.flatMap(({ runIds }) => runIds));
  return ids.size === rows.length && rows.every(({ id }) => ids.has(id));
}

type DeltaRequest = ChartSelection & { cells: readonly ChartCell[]; since: PointCursor };

async function readDeltas({ pool }: Database, { keys, options, cells, since }: DeltaRequest) {
  const runIds = cells.flatMap((cell) => cell.runIds);
  const { cursor, series: changed } = await readSeriesSince(pool, { runIds, keys, cursor: since });
  const changedRuns = new Set(changed.map((series) => series.runId));
  const concerned = cells.filter((cell) => cell.runIds.some((runId) => changedRuns.has(runId)));
  if (concerned.length === 0) return { cursor, charts: [] };
  const changedKeys = [...new Set(changed.map((series) => series.key))];
  const whole = await readSeries(pool, { runIds: concerned.flatMap((cell) => cell.runIds), keys: changedKeys });
  return { cursor, charts: makeDeltas(changed, whole, { cells: concerned, keys: changedKeys, options }) };
}

function concerns(news: Notification | null, scope: RunScope): boolean {
  if (news === null) return true;
  if ("runId" in scope) return news.runId === undefined || news.runId === scope.runId;
  if ("runIds" in scope) return news.runId === undefined || scope.runIds.includes(news.runId);
  return scope.sweepIds.includes(news.sweepId);
}

/** Short enough for the header in which a browser returns it when it reconnects: `12.480_13.77`. */
export function encodeCursor(cursor: PointCursor): string {
  return Object.entries(cursor)
    .map(([attemptId, seq]) => `${attemptId}.${seq}`)
    .join("_");
}

/** What cannot be read counts as nothing seen: the reader then gets everything again, which is never wrong. */
export function decodeCursor(text: string): PointCursor {
  const pairs = text.split("_").map((pair) => pair.split("."));
  return Object.fromEntries(
    pairs.flatMap(([attemptId, seq]) => (isInt4(attemptId) && isInt4(seq) ? [[attemptId, Number(seq)]] : [])),
  );
}

function isInt4(text: string | undefined): text is string {
  return /^\d{1,10}$/.test(text ?? "") && Number(text) < 2 ** 31;
}
