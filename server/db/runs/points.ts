import { endianness } from "node:os";
import type { Pool } from "pg";
import { type Point, relevantKeys, withChanges, withRates } from "#packages/detector";
import type { Series } from "#packages/statistics";
import { readExternalChanges } from "../analysis/externalChanges.ts";
import { readLines } from "../plan/origins.ts";
import { copyOut } from "../storage/copyOut.ts";
import { type Part, stitch } from "./stitch.ts";
import { groupBy } from "#packages/base";
import { readMetricKeys } from "./pointWrites.ts";
import { readColumn, readRows } from "../storage/readRows.ts";
import { untrainedSql } from "../storage/sql.ts";
import { z } from "zod";

/** Last line number (seq) read, by attempt id. `{}`: nothing has been read yet. */
export type PointCursor = Readonly<Record<string, number>>;

/** New points of a curve, merged by iteration; if `isWhole`, they replace the reader's series. */
export type SeriesDelta = Series & { isWhole: boolean };

export type Selection = { runIds: readonly string[]; keys: readonly string[] };

/** Reads whole series, in the requested order, with NaN and infinities. A newer attempt replaces earlier ones. */
export async function readSeries(pool: Pool, { runIds, keys }: Selection): Promise<Series[]> {
  const attempts = await readAttempts(pool, runIds);
  const whole = attempts.map((attempt) => ({ ...attempt, afterSeq: -1 }));
  const series = await readStitched(pool, whole, { runIds, keys });
  const logged = series.filter((one) => one.iterations.length > 0);
  const untrained = await findUntrained(
    pool,
    logged.flatMap(({ runId, iterations }) => ((iterations.at(-1) ?? 0) <= 0 ? [runId] : [])),
  );
  return logged.map((one) => (untrained.has(one.runId) ? { ...one, isUntrained: true } : one));
}

/** Returns the runs whose budget is spent on demonstrations alone. */
export async function findUntrained(pool: Pool, runIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (runIds.length === 0) return new Set();
  const sql = `SELECT r.id FROM run r JOIN cell c ON c.id = r.cell_id
     WHERE r.id = ANY($1) AND ${untrainedSql("c.spec")}`;
  return new Set(await readColumn(pool, z.string(), { sql, values: [runIds] }));
}

/** Reads points after a position; a run with a new attempt is returned whole. Some points may be repeated. */
export async function readSeriesSince(
  pool: Pool,
  { runIds, keys, cursor }: Selection & { cursor: PointCursor },
): Promise<{ cursor: PointCursor; series: SeriesDelta[] }> {
  const attempts = await readAttempts(pool, runIds);
  const news = attempts.filter((attempt) => attempt.lastSeq > (cursor[attempt.id] ?? -1));
  // The attempts of a run are ordered by number, so the map keeps the last one.
  const newest = new Map(attempts.map(({ runId, id }) => [runId, id]));
  const isPlain = (attempt: AttemptOfRun) =>
    cursor[attempt.id] !== undefined && newest.get(attempt.runId) === attempt.id;
  const restarted = new Set(news.filter((attempt) => !isPlain(attempt)).map(({ runId }) => runId));
  const wanted = [
    ...attempts.filter((attempt) => restarted.has(attempt.runId)).map((attempt) => ({ ...attempt, afterSeq: -1 })),
    ...news
      .filter((attempt) => !restarted.has(attempt.runId))
      .map((attempt) => ({ ...attempt, afterSeq: cursor[attempt.id] ?? -1 })),
  ];
  const wantedRuns = new Set(wanted.map(({ runId }) => runId));
  const changedRuns = runIds.filter((runId) => wantedRuns.has(runId));
  const series = await readStitched(pool, wanted, { runIds: changedRuns, keys });
  return {
    cursor: Object.fromEntries(attempts.map((attempt) => [attempt.id, attempt.lastSeq])),
    series: series
      .map((one) => ({ ...one, isWhole: restarted.has(one.runId) }))
      .filter((one) => one.isWhole || one.iterations.length > 0),
  };
}

export async function readKeys(pool: Pool, runIds: readonly string[]): Promise<string[]> {
  const ids = await readColumn(pool, z.number(), {
    sql: `WITH a AS (SELECT id FROM attempt WHERE run_id = ANY($1))
     SELECT metric_id AS id FROM metric_block WHERE attempt_id IN (SELECT id FROM a)
     UNION SELECT unnest(metric_ids) FROM metric_row WHERE attempt_id IN (SELECT id FROM a)`,
    values: [runIds],
  });
  return [...(await readMetricKeys(pool, ids)).values()].toSorted();
}

/** Counts, by metric, the runs that have logged it. */
export async function countKeys(pool: Pool, runIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await readRows(pool, z.object({ id: z.number(), numRuns: z.int() }), {
    sql: `WITH a AS (SELECT id, run_id FROM attempt WHERE run_id = ANY($1))
     SELECT id, count(DISTINCT run_id)::int AS "numRuns" FROM (
       SELECT metric_id AS id, run_id FROM metric_block JOIN a ON a.id = attempt_id
       UNION SELECT unnest(metric_ids), run_id FROM metric_row JOIN a ON a.id = attempt_id) AS logged GROUP BY id`,
    values: [runIds],
  });
  const names = await readMetricKeys(
    pool,
    rows.map(({ id }) => id),
  );
  return new Map(rows.flatMap(({ id, numRuns }) => (names.has(id) ? [[names.get(id) ?? "", numRuns]] : [])));
}

const AttemptOfRun = z.object({
  id: z.number(),
  runId: z.string(),
  number: z.number(),
  lastSeq: z.number(),
  firstIteration: z.number().nullable(),
  /** Text that changes with every stored change of the attempt, its log lines included. */
  version: z.string(),
});
type AttemptOfRun = z.infer<typeof AttemptOfRun>;

/** Reads the attempts of these runs, ordered by run and number. Attempts without points are left out. */
export async function readAttempts(pool: Pool, runIds: readonly string[]): Promise<AttemptOfRun[]> {
  return readRows(pool, AttemptOfRun, {
    sql: `SELECT id, run_id AS "runId", number, last_seq AS "lastSeq", (started->>'firstIteration')::int AS "firstIteration",
       xmin::text AS version
     FROM attempt WHERE run_id = ANY($1) AND num_metric_lines > 0 ORDER BY run_id, number`,
    values: [runIds],
  });
}

type Wanted = AttemptOfRun & { afterSeq: number };

type Piece = {
  attemptId: number;
  metricId: number;
  firstSeq: number;
  firstIteration: number;
  /** Iterations of the points as binary integers; null if they are consecutive from `firstIteration` on. */
  iterations: Buffer | null;
  values: Buffer;
};

// PostgreSQL runs a statement on one core, so more attempts are split into two statements.
const attemptsPerStatement = 64;

async function readPieces(pool: Pool, attempts: readonly Wanted[], metricIds: readonly number[]): Promise<Piece[]> {
  if (attempts.length <= attemptsPerStatement) return readPiecesOf(pool, attempts, metricIds);
  const half = Math.ceil(attempts.length / 2);
  const halves = [attempts.slice(0, half), attempts.slice(half)];
  return (await Promise.all(halves.map((part) => readPiecesOf(pool, part, metricIds)))).flat();
}

// Compaction moves points meanwhile, so one statement reads all. OFFSET 0 keeps index look-ups instead of a full scan.
async function readPiecesOf(pool: Pool, attempts: readonly Wanted[], metricIds: readonly number[]): Promise<Piece[]> {
  return copyOut(
    pool,
    `SELECT a.id, p.* FROM
     unnest(${toArray(attempts.map(({ id }) => id))}, ${toArray(attempts.map(({ afterSeq }) => afterSeq))})
       AS a(id, after_seq),
     LATERAL (
       SELECT metric_id, first_seq, first_iteration, iterations, values
       FROM metric_block WHERE attempt_id = a.id AND metric_id = ANY(${toArray(metricIds)}) AND last_seq > a.after_seq
       UNION ALL
       SELECT u.id, min(seq), min(iteration), string_agg(int4send(iteration), '' ORDER BY seq),
         string_agg(float8send(u.value), '' ORDER BY seq)
       FROM metric_row, unnest(metric_ids, values) AS u(id, value)
       WHERE attempt_id = a.id AND seq > a.after_seq AND u.id = ANY(${toArray(metricIds)}) GROUP BY u.id
       OFFSET 0
     ) AS p`,
    ({ integer, bytes }) => ({
      attemptId: integer(),
      metricId: integer(),
      firstSeq: integer(),
      firstIteration: integer(),
      iterations: bytes(),
      values: bytes() ?? Buffer.alloc(0),
    }),
  );
}

function toArray(integers: readonly number[]): string {
  return `'{${integers.map(Math.trunc).join(",")}}'::int[]`;
}

async function readStitched(pool: Pool, attempts: readonly Wanted[], selection: Selection): Promise<Series[]> {
  const series = await readParts(pool, attempts, selection);
  return series.map(({ runId, key, parts }) => ({ runId, key, ...stitch(parts) }));
}

/** Reads the logged points of these attempts, by run and metric in the requested order, oldest attempt first. */
export async function readParts(
  pool: Pool,
  attempts: readonly Wanted[],
  { runIds, keys }: Selection,
): Promise<{ runId: string; key: string; parts: (Part & { number: number })[] }[]> {
  if (attempts.length === 0) return [];
  const named = "SELECT id, key FROM metric_name WHERE key = ANY($1)";
  const names = await readRows(pool, z.object({ id: z.number(), key: z.string() }), { sql: named, values: [keys] });
  const pieces = await readPieces(
    pool,
    attempts,
    names.map(({ id }) => id),
  );
  const idOf = new Map(names.map(({ id, key }) => [key, id]));
  const piecesOf = groupBy(pieces, ({ attemptId, metricId }) => `${attemptId} ${metricId}`);
  const shared = new Map<string, Int32Array>();
  const attemptsOf = groupBy(attempts, ({ runId }) => runId);
  return runIds.flatMap((runId) =>
    keys.map((key) => {
      const parts = (attemptsOf.get(runId) ?? []).map(({ id, number, firstIteration }) => {
        return { key, number, firstIteration, ...decode(piecesOf.get(`${id} ${idOf.get(key)}`) ?? [], shared) };
      });
      return { runId, key, parts };
    }),
  );
}

function decode(pieces: Piece[], shared: Map<string, Int32Array>): Pick<Part, "iterations" | "values"> {
  pieces.sort((a, b) => a.firstSeq - b.firstSeq);
  const values = new Float64Array(pieces.reduce((sum, piece) => sum + piece.values.length / 8, 0));
  const bytes = Buffer.from(values.buffer);
  let at = 0;
  for (const piece of pieces) at += piece.values.copy(bytes, at);
  // Numbers are stored big-endian, as in PostgreSQL's protocol.
  if (endianness() === "LE") bytes.swap64();
  return { iterations: decodeIterations(pieces, shared), values };
}

// Most runs of a sweep have the same iterations. A shared array is faster to create and to compare than copies.
function decodeIterations(pieces: readonly Piece[], shared: Map<string, Int32Array>): Int32Array {
  const isPlain = pieces.every(({ iterations }) => iterations === null);
  const name = pieces.map(({ firstIteration, values }) => `${firstIteration}+${values.length}`).join();
  const known = isPlain ? shared.get(name) : undefined;
  if (known !== undefined) return known;
  const iterations = new Int32Array(pieces.reduce((sum, { values }) => sum + values.length / 8, 0));
  let at = 0;
  for (const { iterations: stored, firstIteration, values } of pieces) {
    const end = at + values.length / 8;
    if (stored === null) for (let i = firstIteration; at < end; i++) iterations[at++] = i;
    else for (let i = 0; at < end; i += 4) iterations[at++] = stored.readInt32BE(i);
  }
  if (isPlain) shared.set(name, iterations);
  return iterations;
}

/** Reads the points that the detector needs. Success rates become fractions, even if logged as percentages. */
export async function readRunPoints(pool: Pool, runId: string): Promise<readonly Point[]> {
  return withRates(await readLoggedPoints(pool, runId));
}

/** Reads the points that the detector needs, as logged, after those of the run that a branch continues. */
export async function readLoggedPoints(pool: Pool, runId: string): Promise<readonly Point[]> {
  return (await readLoggedPointsOf(pool, [runId])).get(runId) ?? [];
}

/** Reads logged points of several runs together, by default of the detector's metrics. Branches share series. */
export async function readLoggedPointsOf(
  pool: Pool,
  runIds: readonly string[],
  keys: readonly string[] = relevantKeys,
): Promise<ReadonlyMap<string, readonly Point[]>> {
  const line = await readLines(pool, runIds);
  const lineOf = groupBy(line, ({ run }) => run);
  const read = [...new Set([...runIds, ...line.map(({ origin }) => origin)])];
  const seriesOf = groupBy(await readSeries(pool, { runIds: read, keys }), ({ runId }) => runId);
  const changesOf = groupBy(await readExternalChanges(pool, runIds), ({ runId }) => runId);
  return new Map(
    runIds.map((runId) => {
      // The nearest ancestor comes last, so that its points replace those of more distant ancestors.
      const parts = [{ origin: runId, upTo: Infinity }, ...(lineOf.get(runId) ?? [])].toReversed();
      const points = joinSeries(parts.map(({ origin, upTo }) => ({ series: seriesOf.get(origin) ?? [], upTo })));
      const changes = (changesOf.get(runId) ?? []).map(({ iteration }) => iteration);
      return [runId, withChanges(points, changes)];
    }),
  );
}

/** Joins series to points by iteration; a later part's values replace earlier ones. Each part ends at `upTo`. */
function joinSeries(parts: readonly { series: readonly Series[]; upTo: number }[]): Point[] {
  const values = new Map<number, Record<string, number>>();
  for (const { series, upTo } of parts) {
    for (const one of series) {
      for (const [i, iteration] of one.iterations.entries()) {
        if (iteration > upTo) continue;
        const ofIteration = values.get(iteration) ?? {};
        ofIteration[one.key] = one.values[i] ?? NaN;
        values.set(iteration, ofIteration);
      }
    }
  }
  return [...values].sort(([a], [b]) => a - b).map(([iteration, ofIteration]) => ({ iteration, values: ofIteration }));
}

/** Counts the points that `readSeries` reads: exactly above `enough`, below as if each line had every metric. */
export async function countPoints(pool: Pool, { runIds, keys }: Selection, enough: number): Promise<number> {
  const [numLines = 0] = await readColumn(pool, z.number(), {
    sql: "SELECT coalesce(sum(num_metric_lines), 0)::float8 AS num FROM attempt WHERE run_id = ANY($1)",
    values: [runIds],
  });
  const most = numLines * keys.length;
  if (most <= enough) return most;
  const metricIds = await readColumn(pool, z.number(), {
    sql: "SELECT id FROM metric_name WHERE key = ANY($1)",
    values: [keys],
  });
  const [numPoints = 0] = await readColumn(pool, z.number(), {
    sql: `WITH a AS (SELECT id FROM attempt WHERE run_id = ANY($1))
     SELECT (
       SELECT coalesce(sum(num_points), 0) FROM metric_block
       WHERE attempt_id IN (SELECT id FROM a) AND metric_id = ANY($2)
     )::float8 + (
       SELECT count(*) FROM metric_row, unnest(metric_ids) AS u(id)
       WHERE attempt_id IN (SELECT id FROM a) AND u.id = ANY($2)
     )::float8 AS num`,
    values: [runIds, metricIds],
  });
  return numPoints;
}
