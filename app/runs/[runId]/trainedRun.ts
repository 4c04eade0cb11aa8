import type { RunDetail } from "#server/db/runs/runs.ts";
import { isImported } from "#server/domain/plan/sweep/isImported.ts";
import type { CellSpec } from "#trainer/spec/run.ts";

/** A run in one of our environments, so that it can be played. Imported runs and tasks of external trainers cannot. */
export type TrainedRun = Omit<RunDetail, "spec"> & { spec: CellSpec };

export function toTrainedRun(run: RunDetail): TrainedRun | undefined {
  return isImported(run.spec) || run.spec.environment.id === "custom" ? undefined : { ...run, spec: run.spec };
}
