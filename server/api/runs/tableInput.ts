import { formatCount } from "#packages/base";
import { describeMetric } from "#trainer/spec/metric.ts";
import type { Database } from "#server/db/storage/client.ts";
import { type Facts, listConfigured, type Parts } from "#server/domain/analysis/facts.ts";
import { readStabilityFacts } from "#server/db/analysis/detections.ts";
import { readMissingMetrics } from "#server/db/runs/missingMetrics.ts";
import { readSeries } from "#server/db/runs/points.ts";
import type { BuilderInput, BuilderRun } from "#server/domain/publish/tables/builder/input.ts";
import { collapseMetrics, judgeCurves } from "#server/domain/publish/tables/builder/collapses.ts";
import { readCurve, type Reading } from "#server/domain/publish/tables/reading.ts";
import { readCurves } from "../analysis/readFacts.ts";
import { tellProgress } from "../progress.ts";
import { refusePoints } from "./charts.ts";

export type TableFacts = Facts & Pick<Parts, "configurations">;

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
  facts: TableFacts,
  { keys, collapses }: Asked,
): Promise<BuilderInput> {
  const { runs } = facts;
  const cells = listConfigured(facts);
  const runIds = runs.map(({ run }) => run.id);
  await refusePoints(database, { runIds, keys });
  const readings = await readAll(database, runIds, keys);
  const planHashOf = new Map(facts.sweeps.map(({ id, planHash }) => [id, planHash]));
  // Tables list sweeps in the order of their cells.
  const sweeps = new Map(
    cells.map(({ sweepId: id, sweepName: name }) => [id, { id, name, planHash: planHashOf.get(id) ?? "" }]),
  );
  const indexOf = new Map(cells.map(({ id }, index) => [id, index]));
  return {
    sweeps: [...sweeps.values()],
    cells: cells.map(({ method, label, spec, sweepId }, index) => ({ index, method, label, spec, sweepId })),
    runs: runs.map(({ run: { id, cellId, seed, status, reason, latestIteration } }): BuilderRun => {
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
export async function judgeByCurves(database: Database, { runs, configurations }: TableFacts) {
  const keys = Object.values(collapseMetrics);
  const curvesOf = await readCurves(database, [{ runIds: runs.map(({ run }) => run.id), keys }]);
  return new Map(
    runs.flatMap(({ run: { id, cellId, reason } }) => {
      const spec = configurations.get(cellId);
      const curves = curvesOf(id);
      return spec && curves.has(collapseMetrics.rollouts) ? [[id, judgeCurves({ spec, reason, curves })]] : [];
    }),
  );
}
