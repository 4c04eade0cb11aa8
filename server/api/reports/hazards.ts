import { maxLagOf, precisionOf } from "#trainer/spec/sampler.ts";
import { readCellSettings } from "#server/db/cellSettings.ts";
import type { Database } from "#server/db/client.ts";
import type { RunOrder } from "#server/db/runs.ts";
import { readOrigins } from "#server/db/sweeps.ts";
import { isImported } from "#server/domain/import/isImported.ts";
import { reportHazards, type SampledRun } from "#server/domain/stability/report/hazards.ts";
import { toHazardsCsv, toHazardsTable } from "#server/domain/tables/collapses/hazardsTable.ts";
import { provenanceOf } from "#server/domain/tables/provenance.ts";
import type { Table } from "#server/domain/tables/table.ts";
import { proveTable } from "./proofs.ts";
import { durationOf, readStudyRuns } from "./studyRuns.ts";

/**
 * Staleness, precision and their interaction in a Cox model; no row unless all four cells have runs and a run
 * collapsed.
 */
export async function readHazards(
  database: Database,
  sweepIds: readonly string[],
  order?: RunOrder,
): Promise<{ table: Table; longCsv: string }> {
  const [all, settings, origins] = await Promise.all([
    readStudyRuns(database, sweepIds, order),
    readCellSettings(database.pool, sweepIds, { withoutSampler: true }),
    readOrigins(database, sweepIds),
  ]);
  const runs = all.flatMap((one): SampledRun[] => {
    const duration = durationOf(one);
    if (!duration || isImported(one.spec)) return [];
    const { rollout } = one.spec;
    const { id: runId, seed } = one.run;
    return [
      {
        runId,
        method: one.cell.method,
        setting: settings.get(one.cell.id) ?? "",
        seed,
        isStale: maxLagOf(rollout) > 0,
        isRounded: precisionOf(rollout) !== "float32",
        duration,
      },
    ];
  });
  const statuses = new Map(all.map(({ run }) => [run.id, run.status]));
  const bare = toHazardsTable(reportHazards(runs), provenanceOf(origins));
  return {
    table: await proveTable(database, { kind: "hazards", sweepIds }, { table: bare, statuses, order }),
    longCsv: toHazardsCsv(runs),
  };
}
