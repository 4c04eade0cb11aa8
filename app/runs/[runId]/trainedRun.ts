import type { RunDetail } from "#server/db/runs/runs.ts";
import { isImported } from "#server/domain/plan/sweep/stored/isImported.ts";
import { originOf } from "#trainer/spec/origin.ts";
import type { CellSpec } from "#trainer/spec/run.ts";

/** A run that a user can play: neither imported, nor in a task of an external trainer. */
export type TrainedRun = StudioRun;

/** A run that this studio launched, with the built-in or another trainer. */
export type StudioRun = Omit<RunDetail, "spec"> & { spec: CellSpec };

export function toTrainedRun(run: RunDetail): TrainedRun | undefined {
  return isImported(run.spec) || run.spec.environment.id === "custom" ? undefined : { ...run, spec: run.spec };
}

/**
 * Returns the mean time of an iteration of an ended run in ms; undefined if the run has not trained or is not over. A
 * branch has trained only the iterations after its origin's.
 */
export function iterationMsOf({ spec, startedAt, endedAt, latestIteration }: RunDetail): number | undefined {
  const origin = isImported(spec) ? undefined : originOf(spec);
  const numTrained = latestIteration - (origin?.kind === "branch" ? origin.iteration : 0);
  if (!startedAt || !endedAt || numTrained <= 0) return undefined;
  return (endedAt.getTime() - startedAt.getTime()) / numTrained;
}
