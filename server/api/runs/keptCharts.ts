import { groupBy, makeSizedCache, type SizedCache } from "#packages/base";
import { readLines } from "#server/db/plan/origins.ts";
import { type PointCursor, readAttempts, readSeriesSince } from "#server/db/runs/points.ts";
import { readRunIds } from "#server/db/runs/runs.ts";
import type { Database, Pool } from "#server/db/storage/client.ts";
import type { Chart } from "#server/domain/runs/series/chartData.ts";
import {
  type ChartCell,
  type ChartPart,
  chooseResolution,
  indexSeries,
  joinParts,
  makePart,
} from "#server/domain/runs/series/makeCharts.ts";
import { type ChartSelection, encodeCursor, withOrigins } from "./charts.ts";

/** Parts of charts about one configuration, by metric; undefined for a metric that its runs did not log. */
type KeptCell = { numCurves: number[]; resolutions: string; parts: (ChartPart | undefined)[] };

/** Memory for kept parts: those of a sweep of 400 runs take 6 MB, with a line per run 14 MB. */
const maxBytes = 64 * 1024 * 1024;
const keptCells = new WeakMap<Pool, SizedCache<KeptCell>>();

/**
 * Reads charts. The parts of a configuration are kept in this process until a log of its runs grows, so that in a sweep
 * in training only configurations with running runs are read again.
 */
export async function readCharts(
  database: Database,
  { scope, keys, options }: ChartSelection,
): Promise<{ cursor: string; charts: Chart[] }> {
  const { pool } = database;
  const kept = keptCells.get(pool) ?? makeSizedCache<KeptCell>(maxBytes);
  keptCells.set(pool, kept);
  const cells: ChartCell[] = await readRunIds(database, scope);
  const { cursor, names } = await nameCells(pool, cells);
  const nameOf = (cell: ChartCell) => `${names.get(cell)} ${JSON.stringify([keys, options])}`;
  const known = new Map(cells.map((cell) => [cell, kept.find(nameOf(cell))]));
  const readCurves = async (wanted: ChartCell[]) => {
    const selection = { runIds: wanted.flatMap(({ runIds }) => runIds), keys };
    const { series } = await readSeriesSince(pool, { ...selection, cursor: {} });
    return indexSeries(await withOrigins(database, series, selection));
  };

  const unknown = await readCurves(cells.filter((cell) => !known.get(cell)));
  const numCurves = cells.map((cell) => known.get(cell)?.numCurves ?? keys.map((key) => unknown(key, cell).length));
  const chosen = keys.map((_, i) =>
    chooseResolution(
      numCurves.flatMap((counts) => counts[i] || []),
      options,
    ),
  );
  const resolutions = JSON.stringify(chosen);
  // The first point of a run in a metric may coarsen all configurations of a chart.
  const isOutdated = (cell: ChartCell) => (known.get(cell)?.resolutions ?? resolutions) !== resolutions;
  const outdated = await readCurves(cells.filter(isOutdated));
  const parts = cells.map((cell, at) => {
    const found = known.get(cell);
    if (found && !isOutdated(cell)) return found.parts;
    const made = keys.map((key, i) => {
      const curves = (found ? outdated : unknown)(key, cell);
      const resolution = chosen[i];
      return curves.length > 0 && resolution ? makePart(cell, curves, { ...options, ...resolution }) : undefined;
    });
    kept.keep(nameOf(cell), { numCurves: numCurves[at] ?? [], resolutions, parts: made }, sizeOf(made));
    return made;
  });
  return {
    cursor: encodeCursor(cursor),
    charts: keys.map((key, i) =>
      joinParts(
        key,
        parts.flatMap((own) => own[i] ?? []),
      ),
    ),
  };
}

type Named = { cursor: PointCursor; names: ReadonlyMap<ChartCell, string> };

/** Names configurations by the stored logs of their runs, and of the runs that these continue. */
async function nameCells(pool: Pool, cells: readonly ChartCell[]): Promise<Named> {
  const runIds = cells.flatMap((cell) => cell.runIds);
  const lines = await readLines(pool, runIds);
  const attempts = await readAttempts(pool, [...new Set([...runIds, ...lines.map(({ origin }) => origin)])]);
  const attemptsOf = groupBy(attempts, ({ runId }) => runId);
  const linesOf = groupBy(lines, ({ run }) => run);
  const nameRun = (runId: string): unknown => [
    runId,
    ...(attemptsOf.get(runId) ?? []).map(({ id, version }) => `${id}.${version}`),
    ...(linesOf.get(runId) ?? []).map(({ origin, upTo }) => [
      upTo,
      attemptsOf.get(origin)?.map(({ version }) => version),
    ]),
  ];
  const own = new Set(runIds);
  return {
    cursor: Object.fromEntries(attempts.flatMap(({ runId, id, lastSeq }) => (own.has(runId) ? [[id, lastSeq]] : []))),
    names: new Map(cells.map((cell) => [cell, JSON.stringify([cell.cellId, cell.repeats, cell.runIds.map(nameRun)])])),
  };
}

/** Estimates the memory of parts: eight bytes per number. */
function sizeOf(parts: KeptCell["parts"]): number {
  return parts.reduce((sum, part) => {
    if (!part) return sum;
    const numOfLines = part.lines.reduce((points, { values }) => points + 2 * values.length, 0);
    return sum + 8 * (6 * part.band.values.length + numOfLines + 10 * part.marks.length);
  }, 1000);
}
