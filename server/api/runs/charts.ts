import { AppError } from "#packages/base";
import type { Series } from "#packages/statistics";
import { readLines } from "#server/db/plan/origins.ts";
import { countsEpochs } from "#trainer/spec/metric.ts";
import { countPoints, type PointCursor, readSeries, readSeriesSince } from "#server/db/runs/points.ts";
import type { Database } from "#server/db/storage/client.ts";
import { readRunIds, type RunScope } from "#server/db/runs/runs.ts";
import type { Chart } from "#server/domain/runs/series/chartData.ts";
import { type ChartOptions, makeCharts } from "#server/domain/runs/series/makeCharts.ts";

export type ChartSelection = { scope: RunScope; keys: string[]; options: ChartOptions };
export type ChartAnswer = { cursor: string; charts: Chart[] };
export async function readCharts(database: Database, { scope, keys, options }: ChartSelection): Promise<ChartAnswer> {
  const cells = await readRunIds(database, scope);
  const runIds = cells.flatMap((cell) => cell.runIds);
  const { cursor, series } = await readSeriesSince(database.pool, { runIds, keys, cursor: {} });
  const whole = await withOrigins(database, series, { runIds, keys });
  return { cursor: encodeCursor(cursor), charts: makeCharts(whole, { cells, keys, options }) };
}

/** Completes the curves of branches: prepends the origin's curve up to the iteration after which the branch began. */
export async function withOrigins<S extends Series>(
  { pool }: Pick<Database, "pool">,
  series: readonly S[],
  { runIds, keys }: Selection,
): Promise<S[]> {
  const lines = await readLines(pool, runIds);
  if (lines.length === 0) return [...series];
  const origins = [...new Set(lines.map(({ origin }) => origin))];
  const before = await readSeries(pool, { runIds: origins, keys: keys.filter((key) => !countsEpochs(key)) });
  const curveOf = new Map(before.map((curve) => [`${curve.runId} ${curve.key}`, curve]));
  return series.map((own) => {
    const parts = lines.flatMap(({ run, origin, upTo }) => {
      const curve = run === own.runId ? curveOf.get(`${origin} ${own.key}`) : undefined;
      const numKept = curve ? curve.iterations.filter((iteration) => iteration <= upTo).length : 0;
      return curve ? [{ iterations: curve.iterations.slice(0, numKept), values: curve.values.slice(0, numKept) }] : [];
    });
    const all = [...parts.toReversed(), own];
    return {
      ...own,
      iterations: Int32Array.from(all.flatMap(({ iterations }) => [...iterations])),
      values: Float64Array.from(all.flatMap(({ values }) => [...values])),
    };
  });
}

/**
 * Encodes the position of a reader of live data as text such as `12.480_13.77` (attempt id, sequence number). The
 * text fits into the header with which a browser reconnects.
 */
export function encodeCursor(cursor: PointCursor): string {
  return Object.entries(cursor)
    .map(([attemptId, seq]) => `${attemptId}.${seq}`)
    .join("_");
}

/**
 * Decodes the position of a reader of live data. Unreadable text counts as the start: the reader then gets all data,
 * which is always correct.
 */
export function decodeCursor(text: string): PointCursor {
  const pairs = text.split("_").map((pair) => pair.split("."));
  return Object.fromEntries(
    pairs.flatMap(([attemptId, seq]) => (isInt4(attemptId) && isInt4(seq) ? [[attemptId, Number(seq)]] : [])),
  );
}

function isInt4(text: string | undefined): text is string {
  return /^\d{1,10}$/.test(text ?? "") && Number(text) < 2 ** 31;
}

/**
 * Maximum number of points that one request may read (a few seconds on one core): 400 runs of 2,000 iterations with
 * 20 metrics, or 8,000 runs with one metric.
 */
const maxPoints = 16_000_000;

type Selection = { runIds: readonly string[]; keys: readonly string[] };

/** Throws `bad_input` with the number and the limit if the selected curves have too many points. */
export async function refusePoints({ pool }: Pick<Database, "pool">, selection: Selection): Promise<void> {
  const numPoints = await countPoints(pool, selection, maxPoints);
  if (numPoints <= maxPoints) return;
  const [given, limit] = [numPoints, maxPoints].map((n) => n.toLocaleString("en-US"));
  const message = `these metrics have ${given} points in these sweeps, but the limit is ${limit}: choose fewer metrics or sweeps`;
  throw new AppError("bad_input", message);
}
