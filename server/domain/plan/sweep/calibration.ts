import { AppError } from "#packages/base";
import { nameOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import { maxRuns } from "./expand.ts";

/** Accuracy of past estimates for one kind of run: actual slot seconds ÷ estimated seconds. */
export type Calibration = {
  /** Environment id; `policy`: network size or name of the pretrained model. */
  environment: string;
  size: string;
  numRuns: number;
  median: number;
  /** Bounds of the central 90 % of runs. */
  low: number;
  high: number;
};

/** Minimum number of runs before an estimate is corrected. */
export const minRuns = 5;

/** Calibration from past runs similar to the cell's; undefined with too few. */
export function calibrationOf(
  { environment, policy }: Pick<CellSpec, "environment" | "policy">,
  calibrations: readonly Calibration[],
): Calibration | undefined {
  const size = sizeOf(policy);
  return calibrations.find(
    (one) => one.environment === nameOfEnvironment(environment) && one.size === size && one.numRuns >= minRuns,
  );
}

/** Key of policies with similar run times. */
export function sizeOf({ size, pretrained }: CellSpec["policy"]): string {
  return pretrained ?? size;
}

/** A run (configuration and seed) that a grid has or lacks. */
type GridRun = { cellId: number; seed: number };

/**
 * Runs that complete and extend a sweep's grid: every existing seed, and `n` new seeds above the largest, for each cell
 * without them. Throws if nothing is missing or the sweep's limit is exceeded.
 */
export function widenGrid(
  grid: { cells: readonly { id: number }[]; runs: readonly GridRun[] },
  numNew: number,
): GridRun[] {
  const known = [...new Set(grid.runs.map(({ seed }) => seed))];
  const largest = Math.max(-1, ...known);
  const seeds = [...known, ...Array.from({ length: numNew }, (_, i) => largest + 1 + i)];
  const taken = new Set(grid.runs.map(({ cellId, seed }) => `${cellId} ${seed}`));
  const added = grid.cells.flatMap(({ id: cellId }) =>
    seeds.filter((seed) => !taken.has(`${cellId} ${seed}`)).map((seed) => ({ cellId, seed })),
  );
  if (added.length === 0) throw new AppError("conflict", "every cell has a run of every seed");
  const total = grid.runs.length + added.length;
  if (total > maxRuns) throw new AppError("conflict", `the sweep would have ${total} runs, limit is ${maxRuns}`);
  return added;
}

/** True for a run that was added after launch and then cancelled; the sweep is as before without it. */
export function isTakenBack(run: { addedAt: Date | null; status: string; reason: string | null }): boolean {
  return run.addedAt !== null && run.status === "cancelled" && run.reason === "cancelled_by_user";
}
