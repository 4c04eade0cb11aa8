import type { Database } from "#server/db/storage/client.ts";
import type { RunOrder } from "#server/db/runs/runs.ts";
import type { LeftOut } from "#server/domain/plan/sweep/dependence.ts";
import { fromProved } from "#server/domain/publish/tables/builder/options.ts";
import { toPresetLongCsv } from "#server/domain/publish/tables/builder/longCsv.ts";
import { stabilityMetrics } from "#server/domain/publish/tables/builder/presetPanels.ts";
import { buildPreset, isTaskMetric } from "#server/domain/publish/tables/builder/presets.ts";
import type { BuilderInput } from "#server/domain/publish/tables/builder/input.ts";
import { isOfStoredOrder, tableCode } from "#server/domain/publish/tables/proof.ts";
import { queryFixed, type FixedQuery, type TableQuery } from "#server/domain/publish/tables/query.ts";
import type { Table } from "#packages/tables";
import { readBuiltTable } from "./builtTables.ts";
import { readLaboratory } from "./laboratory/laboratory.ts";
import { proveTable } from "./proofs.ts";
import { readRescueTable, readSurvivalTable, readTransferTable } from "./analysisTables.ts";
import type { ScopedMethods } from "../analysis/studyRuns.ts";
import { judgeByCurves, noteMissingMetrics, readOutcomes, readTableInput, readTableStudy } from "../runs/tableInput.ts";

export type Tables = { final: Table; beforeAfter: Table; tasks: Table; longCsv: string; leftOut: LeftOut | null };

export async function readTables(database: Database, { sweepIds, metric, dependent }: Asked): Promise<Tables> {
  const { input, leftOut } = await readInput(database, { sweepIds, metric, dependent });
  const make = (kind: FixedQuery["kind"]) =>
    makePreset(database, queryFixed({ kind, sweepIds, metric }), { input, leftOut });
  return {
    leftOut,
    final: await make("final"),
    beforeAfter: await make("beforeAfter"),
    tasks: await make("tasks"),
    longCsv: toPresetLongCsv(input, metric),
  };
}

/**
 * Reads the table of a query. Stored queries without `dependent` and `equal` count every run, and
 * those without `unclear` leave runs with an unclear label out of tables about alarms.
 * @param code version by which a stored proof was made, if older than the current one
 */
export async function readTable(database: Database, query: TableQuery, code = tableCode): Promise<Table> {
  const order = isOfStoredOrder(code) ? "stored" : "content";
  const asked = { dependent: "added", equal: "counted", unclear: "leftOut", ...query, order } as const;
  // Stored queries omit a default metric, so the metric shown at that time is used, whatever was logged since.
  if (asked.kind === "built") {
    return (await readBuiltTable(database, { ...asked, options: fromProved(asked.options) }, order)).table;
  }
  if (asked.kind === "survival") return (await readSurvivalTable(database, { ...asked, code })).table;
  if (asked.kind === "rescue") return (await readRescueTable(database, { ...asked, code })).table;
  if (asked.kind === "transfer") return (await readTransferTable(database, { evaluations: 0, ...asked })).table;
  if (!("metric" in asked)) return (await readLaboratory(database, asked)).table;
  const read = asked.kind === "stability" ? readStabilityInput : readInput;
  const { order: _order, unclear: _unclear, ...fixed } = asked;
  return makePreset(database, fixed, { ...(await read(database, asked)), order });
}

type Asked = ScopedMethods & Pick<FixedQuery, "metric">;
type Read = { input: BuilderInput; leftOut: LeftOut | null };

async function readInput(database: Database, asked: Asked): Promise<Read> {
  const study = await readTableStudy(database, asked);
  const keys = [...new Set([asked.metric, ...study.metrics.filter(isTaskMetric)])];
  return { input: await readTableInput(database, study, { keys, collapses: new Map() }), leftOut: study.leftOut };
}

async function readStabilityInput(database: Database, asked: Asked & FixedQuery): Promise<Read> {
  const study = await readTableStudy(database, asked);
  const keys = [...new Set([asked.metric, ...Object.values(stabilityMetrics)])];
  const collapses = await (asked.collapses === "hindsight"
    ? readOutcomes(database, asked.sweepIds)
    : judgeByCurves(database, study));
  return { input: await readTableInput(database, study, { keys, collapses }), leftOut: study.leftOut };
}

type PresetInput = Read & { order?: RunOrder | undefined };

async function makePreset(
  database: Database,
  query: FixedQuery,
  { input, order, leftOut }: PresetInput,
): Promise<Table> {
  const statuses = new Map(input.runs.map(({ runId, status }) => [runId, status]));
  const table = buildPreset(query.kind, input, query.metric);
  const proved = await proveTable(database, query, { table, statuses, order, leftOut });
  const missing = await noteMissingMetrics(database, query.sweepIds);
  return { ...proved, notes: [...proved.notes, ...missing] };
}
