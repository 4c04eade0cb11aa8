import type { Database } from "#server/db/storage/client.ts";
import { readSeriesSince, type PointCursor } from "#server/db/runs/points.ts";
import { readRunIds, type RunScope } from "#server/db/runs/runs.ts";
import type { Chart } from "#server/domain/runs/series/chartData.ts";
import { makeCharts, type ChartOptions } from "#server/domain/runs/series/makeCharts.ts";

export type ChartSelection = { scope: RunScope; keys: string[]; options: ChartOptions };
export type ChartAnswer = { cursor: string; charts: Chart[] };
export async function readCharts(database: Database, { scope, keys, options }: ChartSelection): Promise<ChartAnswer> {
  const cells = await readRunIds(database, scope);
  const runIds = cells.flatMap((cell) => cell.runIds);
  const { cursor, series } = await readSeriesSince(database.pool, { runIds, keys, cursor: {} });
  return { cursor: encodeCursor(cursor), charts: makeCharts(series, { cells, keys, options }) };
}

/** Short enough for the header in which a reconnecting browser returns it: `12.480_13.77`. */
export function encodeCursor(cursor: PointCursor): string {
  return Object.entries(cursor)
    .map(([attemptId, seq]) => `${attemptId}.${seq}`)
    .join("_");
}

/** An unreadable cursor counts as empty: the reader then gets everything again, which is always correct. */
export function decodeCursor(text: string): PointCursor {
  const pairs = text.split("_").map((pair) => pair.split("."));
  return Object.fromEntries(
    pairs.flatMap(([attemptId, seq]) => (isInt4(attemptId) && isInt4(seq) ? [[attemptId, Number(seq)]] : [])),
  );
}

function isInt4(text: string | undefined): text is string {
  return /^\d{1,10}$/.test(text ?? "") && Number(text) < 2 ** 31;
}
