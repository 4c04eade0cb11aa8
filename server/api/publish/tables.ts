import type { Database } from "#server/db/storage/client.ts";
import type { LeftOut } from "#server/domain/plan/sweep/dependence.ts";
import { statusesOf } from "#server/domain/analysis/facts.ts";
import { toPresetLongCsv } from "#server/domain/publish/tables/builder/longCsv.ts";
import { stabilityMetrics } from "#server/domain/publish/tables/builder/presetPanels.ts";
import { buildPreset, isTaskMetric } from "#server/domain/publish/tables/builder/presets.ts";
import type { FixedQuery } from "#server/domain/publish/tables/query.ts";
import type { Table } from "#packages/tables";
import { proveTable } from "../analysis/proofs.ts";
import { readFacts, type Scoped } from "../analysis/readFacts.ts";
import { judgeByCurves, noteMissingMetrics, readOutcomes, readTableInput } from "../runs/tableInput.ts";

export type Tables = { final: Table; beforeAfter: Table; tasks: Table; longCsv: string; leftOut: LeftOut | null };

export async function readTables(database: Database, asked: Asked): Promise<Tables> {
  const { make, longCsv, leftOut } = await readInput(database, { kind: "final", ...asked });
  return {
    leftOut,
    final: await make("final"),
    beforeAfter: await make("beforeAfter"),
    tasks: await make("tasks"),
    longCsv,
  };
}

/**
 * Reads one table of final results, with the values behind it. It is no `Answering`: curves of only one metric are in
 * memory at a time, and each is reduced to its readings at once.
 */
export async function readFixed(database: Database, query: Omit<FixedQuery, "dependent"> & Scoped) {
  const { make, longCsv } = await readInput(database, query);
  return { table: await make(query.kind), longCsv };
}

type Asked = Scoped & Pick<FixedQuery, "metric">;

async function readInput(database: Database, asked: Asked & Pick<FixedQuery, "kind" | "collapses">) {
  const { sweepIds, metric, kind } = asked;
  const facts = await readFacts(database, asked, ["configurations", "metrics"]);
  const isOfStability = kind === "stability";
  const others = isOfStability ? Object.values(stabilityMetrics) : facts.metrics.keys.filter(isTaskMetric);
  const collapses = isOfStability
    ? await (asked.collapses === "hindsight" ? readOutcomes(database, sweepIds) : judgeByCurves(database, facts))
    : new Map();
  const input = await readTableInput(database, facts, { keys: [...new Set([metric, ...others])], collapses });
  const { leftOut, isOfStoredOrder } = facts;
  const make = async (kind: FixedQuery["kind"]): Promise<Table> => {
    const query: FixedQuery = { kind, sweepIds, metric, ...(asked.collapses && { collapses: asked.collapses }) };
    const provable = { statuses: statusesOf(facts), isFinal: !isOfStoredOrder, leftOut };
    const table = buildPreset(kind, input, metric);
    const proved = await proveTable(database, query, { ...provable, table });
    return { ...proved, notes: [...proved.notes, ...(await noteMissingMetrics(database, sweepIds))] };
  };
  return { make, longCsv: toPresetLongCsv(input, metric), leftOut };
}
