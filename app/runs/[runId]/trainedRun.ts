import type { RunDetail } from "#server/db/runs.ts";
import { isImported } from "#server/domain/import/isImported.ts";
import type { CellSpec } from "#trainer/spec/run.ts";

/** A run with a specification of ours: one that can be played and continued, as an imported one cannot. */
export type TrainedRun = Omit<RunDetail, "spec"> & { spec: CellSpec };

export function toTrainedRun(run: RunDetail): TrainedRun | undefined {
  return isImported(run.spec) ? undefined : { ...run, spec: run.spec };
}
