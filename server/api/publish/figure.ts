import { describeMetric } from "#trainer/spec/metric.ts";
import type { Database } from "#server/db/storage/client.ts";
import { readSeries } from "#server/db/runs/points.ts";
import { readCells, readRuns } from "#server/db/runs/runs.ts";
import { groupBy } from "#packages/base";
import { alignSeeds, groupSeeds } from "#server/domain/runs/series/alignSeeds.ts";
import { summariseSeeds } from "#server/domain/runs/series/seedSummary.ts";
import { type Curve, withinValues } from "#packages/statistics";
import { chooseCells, type PaperFigure } from "#server/domain/publish/papers/paper.ts";
import { type CsvValue, toCsvText } from "#packages/tables";

const header = [
  "metric",
  "environment",
  "method",
  "setting",
  "iteration",
  "n",
  "measured",
  "mean",
  "low",
  "high",
  "sd",
];

/**
 * Returns curves as CSV: mean over `n` aligned seeds, 95 % t interval, deviation; `measured` seeds had a value. `absent`:
 * methods of the figure without a run.
 */
export async function readFigure(
  database: Database,
  sweepIds: readonly string[],
  { metrics, methods }: Pick<PaperFigure, "metrics" | "methods">,
): Promise<{ text: string; absent: string[] }> {
  const [all, runs] = await Promise.all([readCells(database, { sweepIds }), readRuns(database, { sweepIds })]);
  const { cells, absent } = chooseCells(all, methods);
  const series = await readSeries(database.pool, { runIds: runs.map(({ id }) => id), keys: metrics });
  const cellOf = new Map(runs.map(({ id, cellId }) => [id, cellId]));
  const curves = groupBy(series, ({ key, runId }) => `${key}\n${cellOf.get(runId)}`);
  const lines = metrics.flatMap((metric) =>
    cells.flatMap(({ id, environment, method, label }) =>
      averageCurves(metric, curves.get(`${metric}\n${id}`) ?? []).map((point): CsvValue[] => [
        metric,
        environment,
        method,
        label,
        ...point,
      ]),
    ),
  );
  return { text: toCsvText([header, ...lines]), absent };
}

/** Averages the curves of several seeds by logged iteration. The spread of a single seed stays empty. */
function averageCurves(metric: string, curves: readonly Curve[]): number[][] {
  const { iterations, n, measured, values, edgesAt } = summariseSeeds(curves, "interval");
  const { sd } = groupSeeds(alignSeeds(curves));
  return Array.from(iterations, (x, i) => {
    const edges = edgesAt(i);
    const { low, high } = edges ? withinValues(edges, describeMetric(metric)) : { low: NaN, high: NaN };
    return [x, n[i] ?? 0, measured[i] ?? 0, values[i] ?? NaN, low, high, sd[i] ?? NaN];
  }).filter(([, count]) => count !== 0);
}
