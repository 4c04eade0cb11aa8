import type { RunDetail } from "#server/db/runs/runs.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import type { CellSpec } from "#trainer/spec/run.ts";

/** A run that a user can play: neither imported, nor in a task of an external trainer. */
export type TrainedRun = Omit<RunDetail, "spec"> & { spec: CellSpec };

export function toTrainedRun(run: RunDetail): TrainedRun | undefined {
  return isImported(run.spec) || run.spec.environment.id === "custom" ? undefined : { ...run, spec: run.spec };
}
