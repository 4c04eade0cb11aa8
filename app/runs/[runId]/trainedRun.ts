import type { RunDetail } from "#server/db/runs.ts";
import { isImported } from "#server/domain/import/isImported.ts";
import type { CellSpec } from "#trainer/spec/run.ts";

/** A run in an environment of ours: one that can be played, as an imported one and a task of an external trainer cannot. */
export type TrainedRun = Omit<RunDetail, "spec"> & { spec: CellSpec };

export function toTrainedRun(run: RunDetail): TrainedRun | undefined {
  return isImported(run.spec) || run.spec.environment.id === "custom" ? undefined : { ...run, spec: run.spec };
}
