import { nameOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import type { CellSpec } from "#trainer/spec/run.ts";

/** Accuracy of past time estimates for one kind of run: actual slot seconds divided by estimated slot seconds. */
export type Calibration = {
  /** Id of the environment; `size` is the network size, or the name of the pretrained model. */
  environment: string;
  size: string;
  numRuns: number;
  median: number;
  /** Bounds of the central 90 % of past runs' ratios of actual to estimated time. */
  low: number;
  high: number;
};

export const minRuns = 5;

/** Finds the accuracy of estimates for past runs similar to the cell's; undefined if there are too few such runs. */
export function calibrationOf(
  { environment, policy }: Pick<CellSpec, "environment" | "policy">,
  calibrations: readonly Calibration[],
): Calibration | undefined {
  const size = sizeOf(policy);
  return calibrations.find(
    (one) => one.environment === nameOfEnvironment(environment) && one.size === size && one.numRuns >= minRuns,
  );
}

/** Returns a key for the size of a policy; policies with equal keys have similar run times. */
export function sizeOf({ size, pretrained }: CellSpec["policy"]): string {
  return pretrained ?? size;
}

/** Returns true for a run added after launch and then cancelled, which its sweep no longer counts. */
export function isTakenBack(run: { addedAt: Date | null; status: string; reason: string | null }): boolean {
  return run.addedAt !== null && run.status === "cancelled" && run.reason === "cancelled_by_user";
}
