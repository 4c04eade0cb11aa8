import { describeMetric } from "#trainer/spec/metric.ts";
import type { Database } from "#server/db/client.ts";
import { readKeys, readSeries } from "#server/db/points.ts";
import { readCellSpecs } from "#server/db/runs.ts";
import { isOver } from "#server/domain/runStatus.ts";
import { chooseMetric } from "#server/domain/series/openingMetric.ts";
import { isCollapse } from "#server/domain/stability/label/label.ts";
import { buildTable } from "#server/domain/tables/builder/build.ts";
import { computeTable } from "#server/domain/tables/builder/compute.ts";
import { listGroups, type GroupChoice } from "#server/domain/tables/builder/headings.ts";
import type { BuilderInput, BuilderRun } from "#server/domain/tables/builder/input.ts";
import { layTable } from "#server/domain/tables/builder/layout.ts";
import { toBuiltLongCsv } from "#server/domain/tables/builder/longCsv.ts";
import {
  fillOptions,
  shortOptions,
  type TableOptions,
  type TableWording,
} from "#server/domain/tables/builder/options.ts";
import { readCurve, type Reading } from "#server/domain/tables/reading.ts";
import type { Table } from "#server/domain/tables/table.ts";
import { byType } from "#server/domain/tables/tasks.ts";
import { proveTable } from "./proofs.ts";
import { refusePoints } from "./refusePoints.ts";
import { readWatchedRuns } from "./studyRuns.ts";

type Asked = { sweepIds: readonly string[]; options: TableOptions; wording?: TableWording };

export type BuiltTable = {
  table: Table;
  longCsv: string;
  /** What the options can say of these sweeps. */
  choices: { rows: string[]; environments: string[]; groups: GroupChoice[]; metrics: string[]; hasTasks: boolean };
  /** The metrics shown: those asked for, else the one that these sweeps open on. */
  metrics: string[];
  /** The row that the others are compared with; empty for none. */
  baseline: string;
  /** Runs of the rows and environments shown that are not over: as long as there are any, nothing is proved. */
  numOpen: number;
};

/** A table by its options, with its proof where all runs are over. */
export async function readBuiltTable(database: Database, { sweepIds, options, wording }: Asked): Promise<BuiltTable> {
  const { input, filled, metrics, hasTasks } = await readBuilderInput(database, sweepIds, options);
  const layout = layTable(input, filled);
  const numbers = computeTable(layout);
  // One that is open may yet take the place of a failed one of the same seed, which is what the table shows now.
  const numOpen = layout.runs.filter(({ status }) => !isOver(status)).length;
  const statuses = new Map(layout.runs.map(({ runId, status }) => [runId, status]));
  const query = { kind: "built", sweepIds, options: shortOptions(filled) } as const;
  // Whatever its words and whatever is left unprinted, a table of the same numbers has the same proof.
  const plain = buildTable(numbers);
  const { provenance } = numOpen > 0 ? plain : await proveTable(database, query, { table: plain, statuses });
  return {
    table: { ...buildTable(numbers, wording), provenance },
    longCsv: toBuiltLongCsv(layout),
    metrics: [...filled.metrics],
    baseline: layout.baseline?.key ?? "",
    choices: {
      rows: layout.all.rows.map(({ key }) => key),
      environments: layout.all.environments,
      groups: listGroups(input),
      metrics,
      hasTasks,
    },
    numOpen,
  };
}

async function readBuilderInput(database: Database, sweepIds: readonly string[], asked: TableOptions) {
  const [watched, specs] = await Promise.all([readWatchedRuns(database, sweepIds), readCellSpecs(database, sweepIds)]);
  const study = watched.flatMap((one) => {
    const stored = specs.get(one.cell.id);
    return stored ? [{ ...one, stored }] : [];
  });
  const runIds = study.map(({ run }) => run.id);
  const metrics = await readKeys(database.pool, runIds);
  const filled = fillOptions({ metrics: [chooseMetric(metrics)], ...asked });
  const keys = [...new Set([...filled.metrics, ...(filled.tasks ? metrics.filter((key) => byType.test(key)) : [])])];
  await refusePoints(database, { runIds, keys });
  const readings = await readAll(database, runIds, keys);
  const cells = new Map(study.map(({ cell, stored }) => [cell.id, { cell, stored }]));
  const indices = new Map([...cells.keys()].map((id, index) => [id, index]));
  const sweeps = new Map(
    [...cells.values()].map(({ cell, stored }) => [
      cell.sweepId,
      { id: cell.sweepId, name: cell.sweepName, planHash: stored.planHash },
    ]),
  );
  const input: BuilderInput = {
    sweeps: [...sweeps.values()],
    cells: [...cells.values()].map(({ cell, stored }, index) => {
      return { index, method: cell.method, label: cell.label, spec: stored.spec, sweepId: cell.sweepId };
    }),
    runs: study.map(({ run, detection }): BuilderRun => {
      const label = detection?.hindsight?.label;
      const own = { seed: run.seed, status: run.status, reason: run.reason, iteration: run.latestIteration };
      return {
        runId: run.id,
        cellIndex: indices.get(run.cellId) ?? -1,
        ...own,
        readings: readings.get(run.id) ?? new Map(),
        ...(label && { collapse: { hasCollapsed: isCollapse(label) } }),
      };
    }),
  };
  return { input, filled, metrics, hasTasks: metrics.some((key) => byType.test(key)) };
}

/** What each curve comes to, by run and metric; the curves themselves are held one metric at a time. */
async function readAll(database: Database, runIds: readonly string[], keys: readonly string[]) {
  const readings = new Map(runIds.map((id) => [id, new Map<string, Reading>()]));
  for (const key of keys) {
    const metric = describeMetric(key);
    for (const series of await readSeries(database.pool, { runIds, keys: [key] })) {
      readings.get(series.runId)?.set(key, readCurve(series, metric));
    }
  }
  return readings;
}
