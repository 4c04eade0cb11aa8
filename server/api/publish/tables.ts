import type { Database } from "#server/db/storage/client.ts";
import type { RunOrder } from "#server/db/runs/runs.ts";
import type { LeftOut } from "#server/domain/plan/sweep/dependence.ts";
import { toPresetLongCsv } from "#server/domain/publish/tables/builder/longCsv.ts";
import { stabilityMetrics } from "#server/domain/publish/tables/builder/presetPanels.ts";
import { buildPreset, isTaskMetric } from "#server/domain/publish/tables/builder/presets.ts";
import type { BuilderInput } from "#server/domain/publish/tables/builder/input.ts";
import { queryFixed, type FixedQuery } from "#server/domain/publish/tables/query.ts";
import type { Table } from "#packages/tables";
import { type Answer, proveTable } from "../analysis/proofs.ts";
import type { Scoped, ScopedMethods } from "../analysis/studyRuns.ts";
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

/** Reads one table of final results, with the values behind it. */
export async function readFixed(database: Database, query: FixedQuery & Scoped): Promise<Answer> {
  const read = await (query.kind === "stability" ? readStabilityInput : readInput)(database, query);
  const { order, code: _code, unclear: _unclear, ...fixed } = query;
  const table = await makePreset(database, fixed, { ...read, order });
  return { table, longCsv: toPresetLongCsv(read.input, query.metric) };
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
