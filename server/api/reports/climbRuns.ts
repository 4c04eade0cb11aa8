import { maxLagOf } from "#trainer/spec/sampler.ts";
import type { Database } from "#server/db/client.ts";
import { readSeries } from "#server/db/points.ts";
import type { RunOrder } from "#server/db/runs.ts";
import { isImported } from "#server/domain/import/isImported.ts";
import type { RunStatus } from "#server/domain/runStatus.ts";
import type { Curve } from "#server/domain/series/series.ts";
import type { ClimbRun } from "#server/domain/stability/climbs/climbs.ts";
import { refusePoints } from "./refusePoints.ts";
import { readStudyRuns, settingOf } from "./studyRuns.ts";

type LabelledRun = ClimbRun & { sweepId: string; seed: number };

/**
 * Labelled runs with some of their curves, and the state of every run of the sweeps. Throws `bad_input` if the curves
 * have too many points.
 */
export async function readClimbRuns(
  database: Database,
  { sweepIds, order }: { sweepIds: readonly string[]; order: RunOrder | undefined },
  keys: readonly string[],
): Promise<{ runs: LabelledRun[]; statuses: ReadonlyMap<string, RunStatus> }> {
  const watched = await readStudyRuns(database, sweepIds, order);
  const runIds = watched.map(({ run }) => run.id);
  await refusePoints(database, { runIds, keys });
  const curves = new Map(runIds.map((id) => [id, new Map<string, Curve>()]));
  for (const series of await readSeries(database.pool, { runIds, keys })) {
    curves.get(series.runId)?.set(series.key, series);
  }
  const isOfSeveral = new Set(watched.map(({ cell }) => cell.environment)).size > 1;
  const runs = watched.flatMap((one): LabelledRun[] => {
    const label = one.detection?.hindsight?.label;
    if (!label) return [];
    const { id: runId, sweepId, seed } = one.run;
    const lag = isImported(one.spec) ? 0 : maxLagOf(one.spec.rollout);
    const setting = settingOf(one, { isOfSeveral });
    return [{ runId, sweepId, seed, setting, label, lag, curves: curves.get(runId) ?? new Map() }];
  });
  return { runs, statuses: new Map(watched.map(({ run }) => [run.id, run.status])) };
}
