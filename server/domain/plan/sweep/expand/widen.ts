import { AppError } from "#packages/base";

/** Maximum number of runs of a sweep; more runs are probably a typing error. */
export const maxRuns = 10_000;

type GridRun = { cellId: number; seed: number };

/**
 * Lists the runs that complete and extend a sweep's grid. Each cell gets every existing seed that it lacks, and
 * `numNew` seeds above the largest. Throws if no run is missing or the sweep would exceed its limit.
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
  if (added.length === 0)
    throw new AppError("conflict", "no run is missing: every cell already has a run for every seed");
  const total = grid.runs.length + added.length;
  if (total > maxRuns) throw new AppError("conflict", `the sweep would have ${total} runs, limit is ${maxRuns}`);
  return added;
}
