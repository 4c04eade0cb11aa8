import type { Database } from "#server/db/client.ts";
import type { RunOrder } from "#server/db/runs.ts";
import { readOrigins } from "#server/db/sweeps.ts";
import { measureClimbs, reportClimbs } from "#server/domain/stability/climbs/climbs.ts";
import { climbSignals } from "#server/domain/stability/climbs/signals.ts";
import { toClimbsCsv, toClimbsTable } from "#server/domain/tables/collapses/climbsTable.ts";
import { provenanceOf } from "#server/domain/tables/provenance.ts";
import type { Table } from "#server/domain/tables/table.ts";
import { readClimbRuns } from "./climbRuns.ts";
import { proveTable } from "./proofs.ts";

export type ClimbsReport = {
  table: Table;
  longCsv: string;
  /** At most three collapsed runs, those with the clearest early signals first. */
  examples: readonly { runId: string; sweepId: string; setting: string; seed: number }[];
};

/** Signals that left their range before success fell, by setting. */
export async function readClimbs(
  database: Database,
  sweepIds: readonly string[],
  order?: RunOrder,
): Promise<ClimbsReport> {
  const keys = climbSignals.map(({ metric }) => metric);
  const { runs, statuses } = await readClimbRuns(database, { sweepIds, order }, keys);
  const measured = runs.flatMap((run) => measureClimbs(run) ?? []);
  const report = reportClimbs(measured);
  const bare = toClimbsTable(report, provenanceOf(await readOrigins(database, sweepIds)));
  return {
    table: await proveTable(database, { kind: "climbs", sweepIds }, { table: bare, statuses, order }),
    longCsv: toClimbsCsv(measured),
    examples: report.all.examples.flatMap((runId) => {
      const { sweepId = "", setting = "", seed = 0 } = runs.find((run) => run.runId === runId) ?? {};
      return [{ runId, sweepId, setting, seed }];
    }),
  };
}
