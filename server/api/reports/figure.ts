import type { Database } from "#server/db/client.ts";
import { readSeries } from "#server/db/points.ts";
import { readCells, readRuns } from "#server/db/runs.ts";
import { groupBy } from "#server/domain/groupBy.ts";
import { groupByIteration } from "#server/domain/series/group.ts";
import type { Curve } from "#server/domain/series/series.ts";
import { toCsvText, type CsvValue } from "#server/domain/tables/csv.ts";

const header = ["metric", "environment", "method", "setting", "iteration", "n", "mean", "std"];

/**
 * Curves as a figure draws them, a line per metric, configuration and iteration: mean and standard deviation over the
 * seeds that logged a finite value there, and how many did.
 */
export async function readFigure(
  database: Database,
  sweepIds: readonly string[],
  metrics: readonly string[],
): Promise<string> {
  const [cells, runs] = await Promise.all([readCells(database, { sweepIds }), readRuns(database, { sweepIds })]);
  const series = await readSeries(database.pool, { runIds: runs.map(({ id }) => id), keys: metrics });
  const cellOf = new Map(runs.map(({ id, cellId }) => [id, cellId]));
  const curves = groupBy(series, ({ key, runId }) => `${key}\n${cellOf.get(runId)}`);
  const lines = metrics.flatMap((metric) =>
    cells.flatMap(({ id, environment, method, label }) =>
      averageCurves(curves.get(`${metric}\n${id}`) ?? []).map((point): CsvValue[] => [
        metric,
        environment,
        method,
        label,
        ...point,
      ]),
    ),
  );
  return toCsvText([header, ...lines]);
}

/** [iteration, n, mean, std] wherever a seed has a finite value; the deviation of one seed is NaN, an empty field. */
function averageCurves(curves: readonly Curve[]): [number, number, number, number][] {
  const { iterations, n, mean, std } = groupByIteration(curves);
  return Array.from(iterations, (x, i): [number, number, number, number] => [
    x,
    n[i] ?? 0,
    mean[i] ?? NaN,
    std[i] ?? NaN,
  ]).filter(([, count]) => count > 0);
}
