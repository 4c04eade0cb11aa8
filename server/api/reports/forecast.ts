import type { Database } from "#server/db/client.ts";
import type { RunOrder } from "#server/db/runs.ts";
import { readOrigins } from "#server/db/sweeps.ts";
import { forecastMetrics, measureForecast, reportForecast } from "#server/domain/stability/climbs/forecast.ts";
import { toForecastCsv, toForecastTable } from "#server/domain/tables/collapses/forecastTable.ts";
import { provenanceOf } from "#server/domain/tables/provenance.ts";
import type { Table } from "#server/domain/tables/table.ts";
import { readClimbRuns } from "./climbRuns.ts";
import { proveTable } from "./proofs.ts";

/**
 * Prediction of a collapse from the effective fraction of rows, compared with k1; no row if neither is logged or
 * nothing collapsed.
 */
export async function readForecast(
  database: Database,
  sweepIds: readonly string[],
  order?: RunOrder,
): Promise<{ table: Table; longCsv: string }> {
  const { runs, statuses } = await readClimbRuns(database, { sweepIds, order }, Object.values(forecastMetrics));
  const measured = runs.flatMap((run) => measureForecast(run) ?? []);
  const bare = toForecastTable(reportForecast(measured), provenanceOf(await readOrigins(database, sweepIds)));
  return {
    table: await proveTable(database, { kind: "forecast", sweepIds }, { table: bare, statuses, order }),
    longCsv: toForecastCsv(measured),
  };
}
