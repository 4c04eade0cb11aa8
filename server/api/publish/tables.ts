import type { Database } from "#server/db/storage/client.ts";
import type { RunOrder } from "#server/db/runs/runs.ts";
import { fromProved } from "#server/domain/publish/tables/builder/options.ts";
import { toPresetLongCsv } from "#server/domain/publish/tables/builder/longCsv.ts";
import { stabilityMetrics } from "#server/domain/publish/tables/builder/presetPanels.ts";
import { buildPreset, isTaskMetric } from "#server/domain/publish/tables/builder/presets.ts";
import type { BuilderInput } from "#server/domain/publish/tables/builder/input.ts";
import { isOfStoredOrder, tableCode } from "#server/domain/publish/tables/proof.ts";
import { queryFixed, type FixedQuery, type TableQuery } from "#server/domain/publish/tables/query.ts";
import type { Table } from "#server/domain/publish/tables/table.ts";
import { readBuiltTable } from "./builtTables.ts";
import { readLaboratory } from "./laboratory/laboratory.ts";
import { proveTable } from "./proofs.ts";
import { readRescueTable, readSurvivalTable, readTransferTable } from "./analysisTables.ts";
import type { Scoped } from "../analysis/studyRuns.ts";
import { judgeByCurves, noteMissingMetrics, readOutcomes, readTableInput, readTableStudy } from "../runs/tableInput.ts";

export type Tables = { final: Table; beforeAfter: Table; tasks: Table; longCsv: string };

export async function readTables(database: Database, { sweepIds, metric }: Asked): Promise<Tables> {
  const input = await readInput(database, { sweepIds, metric });
  const make = (kind: FixedQuery["kind"]) => makePreset(database, queryFixed({ kind, sweepIds, metric }), { input });
  return {
    final: await make("final"),
    beforeAfter: await make("beforeAfter"),
    tasks: await make("tasks"),
    longCsv: toPresetLongCsv(input, metric),
  };
}

/** @param code version by which a stored proof was made, if older than the current one */
export async function readTable(database: Database, query: TableQuery, code = tableCode): Promise<Table> {
  const order = isOfStoredOrder(code) ? "stored" : "content";
  // Stored queries omit a default metric, so the metric shown at that time is used, whatever was logged since.
  if (query.kind === "built") {
    return (await readBuiltTable(database, { ...query, options: fromProved(query.options) }, order)).table;
  }
  if (query.kind === "survival") return (await readSurvivalTable(database, { ...query, order, code })).table;
  if (query.kind === "rescue") return (await readRescueTable(database, { ...query, order, code })).table;
  if (query.kind === "transfer") return (await readTransferTable(database, { evaluations: 0, ...query, order })).table;
  if (!("metric" in query)) return (await readLaboratory(database, { ...query, order })).table;
  const read = query.kind === "stability" ? readStabilityInput : readInput;
  return makePreset(database, query, { input: await read(database, { ...query, order }), order });
}

type Asked = Scoped & Pick<FixedQuery, "metric">;

async function readInput(database: Database, asked: Asked): Promise<BuilderInput> {
  const study = await readTableStudy(database, asked);
  const keys = [...new Set([asked.metric, ...study.metrics.filter(isTaskMetric)])];
  return readTableInput(database, study, { keys, collapses: new Map() });
}

async function readStabilityInput(database: Database, asked: Asked & FixedQuery): Promise<BuilderInput> {
  const study = await readTableStudy(database, asked);
  const keys = [...new Set([asked.metric, ...Object.values(stabilityMetrics)])];
  const collapses = await (asked.collapses === "hindsight"
    ? readOutcomes(database, asked.sweepIds)
    : judgeByCurves(database, study));
  return readTableInput(database, study, { keys, collapses });
}

type PresetInput = { input: BuilderInput; order?: RunOrder | undefined };

async function makePreset(database: Database, query: FixedQuery, { input, order }: PresetInput): Promise<Table> {
  const statuses = new Map(input.runs.map(({ runId, status }) => [runId, status]));
  const table = buildPreset(query.kind, input, query.metric);
  const proved = await proveTable(database, query, { table, statuses, order });
  const missing = await noteMissingMetrics(database, query.sweepIds);
  return { ...proved, notes: [...proved.notes, ...missing] };
}
