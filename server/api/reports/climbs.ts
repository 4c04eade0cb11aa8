import { maxLagOf } from "#trainer/spec/sampler.ts";
import type { Database } from "#server/db/client.ts";
import { readSeries } from "#server/db/points.ts";
import { readOrigins } from "#server/db/sweeps.ts";
import { isImported } from "#server/domain/import/isImported.ts";
import type { Curve } from "#server/domain/series/series.ts";
import { measureClimbs, reportClimbs } from "#server/domain/stability/climbs/climbs.ts";
import { climbSignals } from "#server/domain/stability/climbs/signals.ts";
import { toClimbsCsv, toClimbsTable } from "#server/domain/tables/collapses/climbsTable.ts";
import { provenanceOf } from "#server/domain/tables/provenance.ts";
import type { Table } from "#server/domain/tables/table.ts";
import { proveTable } from "./proofs.ts";
import { refusePoints } from "./refusePoints.ts";
import { readStudyRuns, settingOf } from "./studyRuns.ts";

export type ClimbsReport = {
  table: Table;
  longCsv: string;
  /** Runs that fell, at most three, those that climbed most clearly first. */
  examples: readonly { runId: string; sweepId: string; setting: string; seed: number }[];
};

/** What left its range before success fell, by setting. Throws `bad_input` where the curves have more points than can be read in time. */
export async function readClimbs(database: Database, sweepIds: readonly string[]): Promise<ClimbsReport> {
  const watched = await readStudyRuns(database, sweepIds);
  const runIds = watched.map(({ run }) => run.id);
  const keys = climbSignals.map(({ metric }) => metric);
  await refusePoints(database, { runIds, keys });
  const curves = new Map(runIds.map((id) => [id, new Map<string, Curve>()]));
  for (const series of await readSeries(database.pool, { runIds, keys })) {
    curves.get(series.runId)?.set(series.key, series);
  }
  const isOfSeveral = new Set(watched.map(({ cell }) => cell.environment)).size > 1;
  const runs = watched.flatMap((one) => {
    const label = one.detection?.hindsight?.label;
    if (!label) return [];
    const setting = settingOf(one, { isOfSeveral });
    return (
      measureClimbs({
        runId: one.run.id,
        setting,
        label,
        lag: isImported(one.spec) ? 0 : maxLagOf(one.spec.rollout),
        curves: curves.get(one.run.id) ?? new Map(),
      }) ?? []
    );
  });
  const report = reportClimbs(runs);
  const bare = toClimbsTable(report, provenanceOf(await readOrigins(database, sweepIds)));
  const statuses = new Map(watched.map(({ run }) => [run.id, run.status]));
  return {
    table: await proveTable(database, { kind: "climbs", sweepIds }, { table: bare, statuses }),
    longCsv: toClimbsCsv(runs),
    examples: report.all.examples.flatMap((runId) => {
      const one = watched.find(({ run }) => run.id === runId);
      if (!one) return [];
      const { sweepId, seed } = one.run;
      return [{ runId, sweepId, setting: settingOf(one, { isOfSeveral }), seed }];
    }),
  };
}
