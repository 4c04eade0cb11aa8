import { formatCount } from "#packages/base";
import { namesOfTask } from "#packages/trainers";
import { describeMetric } from "#trainer/spec/metric.ts";
import type { Database } from "#server/db/storage/client.ts";
import { readStabilityFacts } from "#server/db/analysis/detections.ts";
import { readMissingMetrics } from "#server/db/runs/missingMetrics.ts";
import { readKeys, readSeries } from "#server/db/runs/points.ts";
import { readCells, readCellSpecs, readRuns, type CellRow, type RunRow } from "#server/db/runs/runs.ts";
import { findLeftOut } from "#server/db/runs/dependentRuns.ts";
import type { LeftOut } from "#server/domain/plan/sweep/dependence.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import type { StoredSpec } from "#server/domain/plan/sweep/stored/storedSpec.ts";
import type { BuilderInput, BuilderRun } from "#server/domain/publish/tables/builder/input.ts";
import { collapseMetrics, judgeCurves } from "#server/domain/publish/tables/builder/collapses.ts";
import { readCurve, type Reading } from "#server/domain/publish/tables/reading.ts";
import type { ScopedMethods } from "../analysis/studyRuns.ts";
import { tellProgress } from "../progress.ts";
import { readCurves, refusePoints } from "./charts.ts";
import { chooseUsual } from "./usualMetric.ts";

export type TableStudy = {
  leftOut: LeftOut | null;
  cells: (CellRow & { spec: StoredSpec; planHash: string })[];
  runs: RunRow[];
  /** Metrics that runs have logged or that a plan names: a table must not replace a named one by another. */
  metrics: string[];
  /** Metric that sums up the runs. */
  usual: string;
};

export async function readTableStudy(
  database: Database,
  { sweepIds, order, ...counting }: ScopedMethods,
): Promise<TableStudy> {
  const scope = { sweepIds };
  const [cells, chosen, specs] = await Promise.all([
    readCells(database, scope, order),
    readRuns(database, scope, order),
    readCellSpecs(database, sweepIds),
  ]);
  const { isLeftOut, leftOut } = await findLeftOut(
    database.pool,
    chosen.map(({ id }) => id),
    counting,
  );
  const runs = chosen.filter(({ id }) => !isLeftOut(id));
  const runIds = runs.map(({ id }) => id);
  const named = [...specs.values()].flatMap(({ spec }) =>
    isImported(spec) ? [] : namesOfTask(spec).map(([, key]) => key),
  );
  const withRuns = new Set(runs.map(({ cellId }) => cellId));
  const withoutRuns = new Set(chosen.map(({ cellId }) => cellId).filter((id) => !withRuns.has(id)));
  const metrics = [...new Set([...(await readKeys(database.pool, runIds)), ...named])].toSorted();
  return {
    leftOut,
    cells: cells.flatMap((cell) => {
      const stored = specs.get(cell.id);
      return stored && !withoutRuns.has(cell.id) ? [{ ...cell, ...stored }] : [];
    }),
    runs,
    metrics,
    usual: await chooseUsual(database, runIds, metrics),
  };
}

/** Returns a table's notes on metrics that plans name and that runs did not log. */
export async function noteMissingMetrics({ pool }: Database, sweepIds: readonly string[]): Promise<string[]> {
  const missing = await readMissingMetrics(pool, { sweepIds });
  return missing.map(({ text, numRuns }) => `${formatCount(numRuns, "run")}: ${text}.`);
}

type Asked = {
  keys: readonly string[];
  /** Collapse in hindsight, or that there was none, of each run with a label, by run id. */
  collapses: ReadonlyMap<string, BuilderRun["collapse"]>;
};

/** Reads the metrics' values under every rule that selects a checkpoint. Throws `bad_input` for too many points. */
export async function readTableInput(
  database: Database,
  { cells, runs }: Pick<TableStudy, "cells" | "runs">,
  { keys, collapses }: Asked,
): Promise<BuilderInput> {
  const runIds = runs.map(({ id }) => id);
  await refusePoints(database, { runIds, keys });
  const readings = await readAll(database, runIds, keys);
  const indexOf = new Map(cells.map(({ id }, index) => [id, index]));
  const sweeps = new Map(
    cells.map(({ sweepId, sweepName, planHash }) => [sweepId, { id: sweepId, name: sweepName, planHash }]),
  );
  return {
    sweeps: [...sweeps.values()],
    cells: cells.map(({ method, label, spec, sweepId }, index) => ({ index, method, label, spec, sweepId })),
    runs: runs.map(({ id, cellId, seed, status, reason, latestIteration }): BuilderRun => {
      const collapse = collapses.get(id);
      return {
        runId: id,
        cellIndex: indexOf.get(cellId) ?? -1,
        seed,
        status,
        reason,
        iteration: latestIteration,
        readings: readings.get(id) ?? new Map(),
        ...(collapse && { collapse }),
      };
    }),
  };
}

/** Reads the metrics' values by run and metric. Curves of only one metric are in memory at a time. */
async function readAll(database: Database, runIds: readonly string[], keys: readonly string[]) {
  const readings = new Map(runIds.map((id) => [id, new Map<string, Reading>()]));
  for (const [i, key] of keys.entries()) {
    tellProgress("Reading metrics", i + 1, keys.length);
    const metric = describeMetric(key);
    for (const series of await readSeries(database.pool, { runIds, keys: [key] })) {
      readings.get(series.runId)?.set(key, readCurve(series, metric));
    }
  }
  return readings;
}

export async function readOutcomes(database: Database, sweepIds: readonly string[]) {
  const facts = await readStabilityFacts(database.pool, { sweepIds });
  return new Map(
    facts.flatMap(({ runId, hindsight: { word, iteration } }): [string, NonNullable<BuilderRun["collapse"]>][] => {
      if (word.startsWith("not judged")) return [];
      const hasCollapsed = word.startsWith("collapsed");
      const fallen = hasCollapsed && iteration !== null && { iteration };
      return [[runId, { hasCollapsed, ...fallen, ...(word === "unclear" && { isUnclear: true as const }) }]];
    }),
  );
}

/** Determines collapses from curves, to verify tables made before hindsight labels were stored. */
export async function judgeByCurves(database: Database, { cells, runs }: TableStudy) {
  const runIds = runs.map(({ id }) => id);
  const curves = await readCurves(database, { runIds, keys: Object.values(collapseMetrics) });
  const specOf = new Map(cells.map(({ id, spec }) => [id, spec]));
  return new Map(
    runs.flatMap(({ id, cellId, reason }) => {
      const spec = specOf.get(cellId);
      const seen = curves.get(id);
      return spec && seen?.has(collapseMetrics.rollouts) ? [[id, judgeCurves({ spec, reason, curves: seen })]] : [];
    }),
  );
}
