import type { RunDetail } from "#server/db/runs/runs.ts";
import { isImported } from "#server/domain/plan/sweep/isImported.ts";
import type { CellSpec } from "#trainer/spec/run.ts";

/**
 * A run in one of the studio's environments, which a user can play. Imported runs and tasks of external trainers are
 * not playable.
 */
export type TrainedRun = Omit<RunDetail, "spec"> & { spec: CellSpec };

export function toTrainedRun(run: RunDetail): TrainedRun | undefined {
  return isImported(run.spec) || run.spec.environment.id === "custom" ? undefined : { ...run, spec: run.spec };
}
