import type { Database } from "#server/db/client.ts";
import { readKeys, readSeries } from "#server/db/points.ts";
import { readCells, readCellSpecs, readRuns } from "#server/db/runs.ts";
import { finalWindowTable } from "#server/domain/tables/finalWindow.ts";
import type { TableInput } from "#server/domain/tables/input.ts";
import { toLongCsv } from "#server/domain/tables/longCsv.ts";
import type { Curve } from "#server/domain/series/series.ts";
import { stabilityMetrics, stabilityTable, type StabilityRun } from "#server/domain/tables/stability.ts";
import { successTable } from "#server/domain/tables/success.ts";
import type { TableQuery } from "#server/domain/tables/proof.ts";
import type { Table } from "#server/domain/tables/table.ts";
import { fillOptions } from "#server/domain/tables/builder/options.ts";
import { isTaskMetric, tasksTable, type TaskRun } from "#server/domain/tables/tasks.ts";
import { readBuiltTable } from "./builtTables.ts";
import { proveTables } from "./proofs.ts";
import { refusePoints } from "./refusePoints.ts";

export type Tables = { final: Table; beforeAfter: Table; tasks: Table; longCsv: string };

/** The tables of one metric over some sweeps, and the numbers behind them run by run. */
export async function readTables(database: Database, sweepIds: readonly string[], metric: string): Promise<Tables> {
  const input = await readTableInput(database, sweepIds, metric);
  const runIds = input.curves.map(({ runId }) => runId);
  const keys = (await readKeys(database.pool, runIds)).filter(isTaskMetric);
  await refusePoints(database, { runIds, keys: [...new Set([metric, ...keys])] });
  const others = new Map(runIds.map((id) => [id, new Map<string, Curve>()]));
  for (const series of await readSeries(database.pool, { runIds, keys }))
    others.get(series.runId)?.set(series.key, series);
  const curves = input.curves.map((curve): TaskRun => ({ ...curve, others: others.get(curve.runId) ?? new Map() }));
  const tables = {
    final: finalWindowTable(input),
    beforeAfter: successTable(input),
    tasks: tasksTable({ ...input, curves }),
  };
  return { ...(await proveTables(database, { sweepIds, metric }, tables)), longCsv: toLongCsv(input) };
}

/** Success, drift and collapses per method; the metric is that of the first column. */
async function readStabilityTable(database: Database, sweepIds: readonly string[], metric: string): Promise<Table> {
  const { curves, ...input } = await readTableInput(database, sweepIds, metric);
  const runs = await readRuns(database, { sweepIds });
  const keys = Object.values(stabilityMetrics);
  const runIds = runs.map((run) => run.id);
  await refusePoints(database, { runIds, keys: [...new Set([metric, ...keys])] });
  const series = await readSeries(database.pool, { runIds, keys });
  const curveOf = new Map(series.map((one) => [`${one.runId} ${one.key}`, one]));
  const runOf = new Map(runs.map((run) => [run.id, run]));
  const table = stabilityTable({
    ...input,
    curves: curves.map((curve): StabilityRun => {
      const run = runOf.get(curve.runId);
      const other = (key: string) => curveOf.get(`${curve.runId} ${key}`) ?? noCurve;
      const { rollouts, evaluations, kl, loss, gradientNorm, gradientNormMax, duration } = stabilityMetrics;
      const others = {
        rollouts: other(rollouts),
        evaluations: other(evaluations),
        kl: other(kl),
        loss: other(loss),
        gradientNorm: other(gradientNorm),
        gradientNormMax: other(gradientNormMax),
        duration: other(duration),
      };
      return { ...curve, others, reason: run?.reason ?? null };
    }),
  });
  return (await proveTables(database, { sweepIds, metric }, { stability: table })).stability;
}

/** One table by its query. */
export async function readTable(database: Database, query: TableQuery): Promise<Table> {
  // Proofs leave the default out: whatever has been logged since, it is that metric that was shown.
  if (query.kind === "built") {
    return (await readBuiltTable(database, { ...query, options: fillOptions(query.options) })).table;
  }
  const { kind, sweepIds, metric } = query;
  if (kind === "stability") return readStabilityTable(database, sweepIds, metric);
  return (await readTables(database, sweepIds, metric))[kind];
}

const noCurve: Curve = { iterations: new Int32Array(), values: new Float64Array() };

async function readTableInput(database: Database, sweepIds: readonly string[], metric: string): Promise<TableInput> {
  const scope = { sweepIds };
  const [cells, runs, specs] = await Promise.all([
    readCells(database, scope),
    readRuns(database, scope),
    readCellSpecs(database, sweepIds),
  ]);
  const runIds = runs.map((run) => run.id);
  await refusePoints(database, { runIds, keys: [metric] });
  const series = await readSeries(database.pool, { runIds, keys: [metric] });
  const curveOf = new Map(series.map((one) => [one.runId, one]));
  const indexOf = new Map(cells.map((cell, index) => [cell.id, index]));
  const sweeps = new Map(cells.map((cell) => [cell.sweepId, cell.sweepName]));
  const hashes = [...new Set([...specs.values()].map(({ planHash }) => planHash))];
  return {
    sweepName: [...sweeps.values()].join(" and "),
    ...(hashes.length > 0 ? { planHash: hashes.join(" ") } : {}),
    metric,
    cells: cells.flatMap((cell, index) => {
      const stored = specs.get(cell.id);
      // Equal methods of several sweeps stay apart.
      const label = sweeps.size > 1 ? [cell.label, cell.sweepName].filter(Boolean).join(" · ") : cell.label;
      return stored ? [{ index, method: cell.method, label, spec: stored.spec }] : [];
    }),
    curves: runs.flatMap(({ id, cellId, seed, status }) => {
      const { iterations, values } = curveOf.get(id) ?? noCurve;
      return [{ runId: id, cellIndex: indexOf.get(cellId) ?? -1, seed, status, iterations, values }];
    }),
  };
}
