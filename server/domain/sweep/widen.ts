import { maxRuns } from "./expand.ts";
import { AppError } from "#server/domain/errors.ts";

/** A run that a grid has or lacks: a configuration with a seed. */
export type GridRun = { cellId: number; seed: number };

/**
 * What completes a sweep's grid and widens it: a run of each seed that any cell has, and of so many new seeds after the
 * largest, for every cell that lacks it, cell by cell. Throws where nothing is lacking, and beyond the limit of a sweep.
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

/** True of a run that was added to a launched sweep and then cancelled: without it the sweep is what it was before. */
export function isTakenBack(run: { addedAt: Date | null; status: string; reason: string | null }): boolean {
  return run.addedAt !== null && run.status === "cancelled" && run.reason === "cancelled_by_user";
}
