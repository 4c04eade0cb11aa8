import type { Database } from "../db/client.ts";
import { readKeys, readSeries } from "../db/points.ts";
import { readCellSpecs } from "../db/runs.ts";
import { isOver } from "../domain/runStatus.ts";
import type { Curve } from "../domain/series/series.ts";
import { isCollapse } from "../domain/stability/label.ts";
import { buildTable } from "../domain/tables/builder/build.ts";
import { listGroups, type GroupChoice } from "../domain/tables/builder/headings.ts";
import type { BuilderInput, BuilderRun } from "../domain/tables/builder/input.ts";
import { toBuiltLongCsv } from "../domain/tables/builder/longCsv.ts";
import { fillOptions, shortOptions, type TableOptions, type TableWording } from "../domain/tables/builder/options.ts";
import { findBaseline, sortRows } from "../domain/tables/builder/order.ts";
import { layRows } from "../domain/tables/builder/rows.ts";
import type { Table } from "../domain/tables/table.ts";
import { byType } from "../domain/tables/tasks.ts";
import { proveTable } from "./proofs.ts";
import { readStudyRuns } from "./studyRuns.ts";

type Asked = { sweepIds: readonly string[]; options: TableOptions; wording?: TableWording };

export type BuiltTable = {
  table: Table;
  longCsv: string;
  /** What the options can say of these sweeps. */
  choices: { rows: string[]; environments: string[]; groups: GroupChoice[]; metrics: string[]; hasTasks: boolean };
  /** The row that the others are compared with; empty for none. */
  baseline: string;
  /** Runs that are not over: as long as there are any, nothing is proved. */
  numOpen: number;
};

/** A table by its options, with its proof where all runs are over. */
export async function readBuiltTable(database: Database, { sweepIds, options, wording }: Asked): Promise<BuiltTable> {
  const { input, metrics, hasTasks } = await readBuilderInput(database, sweepIds, options);
  const { rows, environments } = layRows(input);
  const table = buildTable(input, options, wording);
  const statuses = new Map(input.runs.map(({ runId, status }) => [runId, status]));
  const query = { kind: "built", sweepIds, options: shortOptions(options) } as const;
  // Whatever its words and whatever is left unprinted, a table of the same numbers has the same proof.
  const { provenance } = await proveTable(database, query, { table: buildTable(input, options), statuses });
  return {
    table: { ...table, provenance },
    longCsv: toBuiltLongCsv(input, options),
    baseline: findBaseline(sortRows(rows, input, fillOptions(options)), options.baseline)?.key ?? "",
    choices: { rows: rows.map(({ key }) => key), environments, groups: listGroups(input), metrics, hasTasks },
    numOpen: input.runs.filter(({ status }) => !isOver(status)).length,
  };
}

async function readBuilderInput(database: Database, sweepIds: readonly string[], options: TableOptions) {
  const [study, specs] = await Promise.all([readStudyRuns(database, sweepIds), readCellSpecs(database, sweepIds)]);
  const runIds = study.map(({ run }) => run.id);
  const metrics = await readKeys(database.pool, runIds);
  const { metrics: asked, tasks } = fillOptions(options);
  const keys = [...new Set([...asked, ...(tasks ? metrics.filter((key) => byType.test(key)) : [])])];
  const curves = new Map(runIds.map((id) => [id, new Map<string, Curve>()]));
  for (const series of await readSeries(database.pool, { runIds, keys })) {
    curves.get(series.runId)?.set(series.key, series);
  }
  const cells = new Map(study.map(({ cell, spec }) => [cell.id, { cell, spec }]));
  const indices = new Map([...cells.keys()].map((id, index) => [id, index]));
  const sweeps = new Map(
    [...cells.values()].map(({ cell }) => [
      cell.sweepId,
      { id: cell.sweepId, name: cell.sweepName, planHash: specs.get(cell.id)?.planHash ?? "" },
    ]),
  );
  const input: BuilderInput = {
    sweeps: [...sweeps.values()],
    cells: [...cells.values()].map(({ cell, spec }, index) => {
      return { index, method: cell.method, label: cell.label, spec, sweepId: cell.sweepId };
    }),
    runs: study.map(({ run, detection }): BuilderRun => {
      const label = detection?.hindsight?.label;
      const own = { seed: run.seed, status: run.status, reason: run.reason, iteration: run.latestIteration };
      return {
        runId: run.id,
        cellIndex: indices.get(run.cellId) ?? -1,
        ...own,
        curves: curves.get(run.id) ?? new Map(),
        ...(label && { collapse: { hasCollapsed: isCollapse(label) } }),
      };
    }),
  };
  return { input, metrics, hasTasks: metrics.some((key) => byType.test(key)) };
}
