import { AppError } from "#packages/base";
import type { Series } from "#packages/statistics";
import { readLines } from "#server/db/plan/origins.ts";
import { countsEpochs } from "#trainer/spec/metric.ts";
import { countPoints, type PointCursor, readSeries, type Selection } from "#server/db/runs/points.ts";
import type { Database, Pooled } from "#server/db/storage/client.ts";
import { readRunIds, type RunScope } from "#server/db/runs/runs.ts";
import { makeGhosts } from "#server/domain/runs/series/ghosts.ts";
import { readSuperseded } from "#server/db/runs/superseded.ts";
import type { ChartOptions } from "#server/domain/runs/series/makeCharts.ts";

export type ChartSelection = { scope: RunScope; keys: string[]; options: ChartOptions };
type GhostsAsked = { scope: RunScope; keys: readonly string[]; options: Parameters<typeof makeGhosts>[1] };

/** Reads the points of attempts that later attempts replaced, at the resolution of a chart. */
export async function readGhosts(database: Database, { scope, keys, options }: GhostsAsked) {
  const runIds = (await readRunIds(database, scope)).flatMap((cell) => cell.runIds);
  return makeGhosts(await readSuperseded(database.pool, { runIds, keys }), options);
}

/** Completes the curves of branches: prepends the origin's curve up to the iteration after which the branch began. */
export async function withOrigins<S extends Series>(
  { pool }: Pooled,
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

/** Encodes a reader's position as `12.480_13.77` (attempt id, line number), for the header of reconnecting browsers. */
export function encodeCursor(cursor: PointCursor): string {
  return Object.entries(cursor)
    .map(([attemptId, seq]) => `${attemptId}.${seq}`)
    .join("_");
}

/** Decodes a reader's position. Unreadable text counts as the start, which is always correct. */
export function decodeCursor(text: string): PointCursor {
  const pairs = text.split("_").map((pair) => pair.split("."));
  return Object.fromEntries(
    pairs.flatMap(([attemptId, seq]) => (isInt4(attemptId) && isInt4(seq) ? [[attemptId, Number(seq)]] : [])),
  );
}

function isInt4(text: string | undefined): text is string {
  return /^\d{1,10}$/.test(text ?? "") && Number(text) < 2 ** 31;
}

/** Maximum points per request (a few seconds): 400 runs × 2,000 iterations × 20 metrics, or 8,000 runs × 1 metric. */
const maxPoints = 16_000_000;

export async function refusePoints({ pool }: Pooled, selection: Selection): Promise<void> {
  const numPoints = await countPoints(pool, selection, maxPoints);
  if (numPoints <= maxPoints) return;
  const [given, limit] = [numPoints, maxPoints].map((n) => n.toLocaleString("en-US"));
  const message = `these metrics have ${given} points in these sweeps, but the limit is ${limit}: choose fewer metrics or sweeps`;
  throw new AppError("bad_input", message);
}
