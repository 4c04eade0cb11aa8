import type { Database } from "#server/db/storage/client.ts";
import type { RunOrder } from "#server/db/runs/runs.ts";
import { fromProved } from "#server/domain/publish/tables/builder/options.ts";
import { toPresetLongCsv } from "#server/domain/publish/tables/builder/longCsv.ts";
import { stabilityMetrics } from "#server/domain/publish/tables/builder/presetPanels.ts";
import { buildPreset, isTaskMetric } from "#server/domain/publish/tables/builder/presets.ts";
import type { BuilderInput } from "#server/domain/publish/tables/builder/input.ts";
import { queryFixed, type FixedQuery, type TableQuery } from "#server/domain/publish/tables/query.ts";
import type { Table } from "#server/domain/publish/tables/table.ts";
import { readBuiltTable } from "./builtTables.ts";
import { readLaboratory } from "./laboratory/laboratory.ts";
import { proveTable } from "./proofs.ts";
import { readRescueTable, readSurvivalTable, readTransferTable } from "./analysisTables.ts";
import { judgeByCurves, readOutcomes, readTableInput, readTableStudy } from "../runs/tableInput.ts";

export type Tables = { final: Table; beforeAfter: Table; tasks: Table; longCsv: string };

/** Returns the result tables of one metric over some sweeps, and the values of each run behind them. */
export async function readTables(database: Database, sweepIds: readonly string[], metric: string): Promise<Tables> {
  const input = await readInput(database, { sweepIds, metric });
  const make = (kind: FixedQuery["kind"]) => makePreset(database, queryFixed({ kind, sweepIds, metric }), { input });
  return {
    final: await make("final"),
    beforeAfter: await make("beforeAfter"),
    tasks: await make("tasks"),
    longCsv: toPresetLongCsv(input, metric),
  };
}

export async function readTable(database: Database, query: TableQuery, order?: RunOrder): Promise<Table> {
  // A stored query omits a metric that was the default, so the metric displayed at that time is used, whatever has
  // been logged since.
  if (query.kind === "built") {
    return (await readBuiltTable(database, { ...query, options: fromProved(query.options) }, order)).table;
  }
  if (query.kind === "survival") return (await readSurvivalTable(database, query.sweepIds, { ...query, order })).table;
  if (query.kind === "rescue") return (await readRescueTable(database, query.sweepIds, { order })).table;
  if (query.kind === "transfer")
    return (await readTransferTable(database, query.sweepIds, { evaluations: 0, ...query, order })).table;
  if (!("metric" in query)) return readLaboratory(database, query, order);
  const read = query.kind === "stability" ? readStabilityInput : readInput;
  return makePreset(database, query, { input: await read(database, query, order), order });
}

type Asked = Pick<FixedQuery, "sweepIds" | "metric">;

async function readInput(database: Database, { sweepIds, metric }: Asked, order?: RunOrder): Promise<BuilderInput> {
  const study = await readTableStudy(database, sweepIds, order);
  const keys = [...new Set([metric, ...study.metrics.filter(isTaskMetric)])];
  return readTableInput(database, study, { keys, collapses: new Map() });
}

async function readStabilityInput(
  database: Database,
  { sweepIds, metric, collapses: judgedBy }: FixedQuery,
  order?: RunOrder,
): Promise<BuilderInput> {
  const study = await readTableStudy(database, sweepIds, order);
  const keys = [...new Set([metric, ...Object.values(stabilityMetrics)])];
  const collapses = await (judgedBy === "hindsight"
    ? readOutcomes(database, sweepIds)
    : judgeByCurves(database, study));
  return readTableInput(database, study, { keys, collapses });
}

type PresetInput = { input: BuilderInput; order?: RunOrder | undefined };

async function makePreset(database: Database, query: FixedQuery, { input, order }: PresetInput): Promise<Table> {
  const statuses = new Map(input.runs.map(({ runId, status }) => [runId, status]));
  const table = buildPreset(query.kind, input, query.metric);
  return proveTable(database, query, { table, statuses, order });
}
