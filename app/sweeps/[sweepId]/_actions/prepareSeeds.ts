import type { CellRow, RunRow } from "#server/db/runs.ts";
import { mean } from "#server/domain/statistics/summary.ts";
import { estimateRunSeconds } from "#server/domain/sweep/estimate.ts";
import { expandPlan } from "#server/domain/sweep/expand.ts";
import type { SweepPlan } from "#server/domain/sweep/plan.ts";
import { widenGrid } from "#server/domain/sweep/widen.ts";
import { formatCount, formatRough } from "#app/_charts/format.ts";
import { isOver } from "#server/domain/runStatus.ts";

type Grid = { cells: readonly Pick<CellRow, "id" | "index">[]; runs: readonly GridRow[] };
type GridRow = Pick<RunRow, "cellId" | "seed" | "status" | "startedAt" | "endedAt" | "addedAt">;

/** What adding seeds would launch, in words: runs, their seeds, and their time. */
export type Added = { numRuns: number; runs: string; seeds: string; time: string };

type Asked = { grid: Grid; plan: SweepPlan; slots: number };

/**
 * The runs that the server would add for so many new seeds a configuration. Their time is what runs of the same
 * configuration took, else what runs of this sweep took, else the guess of the builder.
 */
export function prepareAdded({ grid, plan, slots }: Asked, numNew: number): Added {
  const added = widenGrid(grid, numNew);
  const took = measureRuns(grid.runs);
  const all = [...took.values()].flat();
  const guess = all.length > 0 ? undefined : guessRuns(grid, plan);
  const timesMs = added.map(({ cellId }) => guess?.get(cellId) ?? mean(took.get(cellId) ?? all));
  const totalMs = timesMs.reduce((sum, ms) => sum + ms, 0);
  const ms = Math.max(totalMs / Math.max(1, slots), ...timesMs);
  const source = guess ? "a guess from the plan" : "as its runs took so far";
  return {
    numRuns: added.length,
    runs: formatCount(added.length, "run"),
    seeds: describeSeeds(added.map(({ seed }) => seed)),
    time: `about ${formatRough(ms)} on ${formatCount(slots, "slot")}, ${source}`,
  };
}

/** Milliseconds of finished runs, by cell. */
function measureRuns(runs: readonly GridRow[]): Map<number, number[]> {
  const took = new Map<number, number[]>();
  for (const { cellId, status, startedAt, endedAt } of runs) {
    if (status !== "finished" || !startedAt || !endedAt) continue;
    took.set(cellId, [...(took.get(cellId) ?? []), endedAt.getTime() - startedAt.getTime()]);
  }
  return took;
}

function guessRuns({ cells }: Grid, plan: SweepPlan): Map<number, number> {
  const seconds = new Map(expandPlan(plan).cells.map(({ index, spec }) => [index, estimateRunSeconds(spec)]));
  return new Map(cells.map(({ id, index }) => [id, 1000 * (seconds.get(index) ?? 0)]));
}

/** Seeds that some configuration has a run of and another has not: as many runs. */
export function countHoles(grid: { cells: readonly unknown[]; runs: readonly { seed: number }[] }): number {
  const numSeeds = new Set(grid.runs.map(({ seed }) => seed)).size;
  return Math.max(0, grid.cells.length * numSeeds - grid.runs.length);
}

/** "seed 3", "seeds 3 and 4", "seeds 1, 3 and 4". */
export function describeSeeds(given: readonly number[]): string {
  const seeds = [...new Set(given)].sort((a, b) => a - b).map(String);
  const last = seeds.at(-1) ?? "none";
  const words = seeds.length > 1 ? `${seeds.slice(0, -1).join(", ")} and ${last}` : last;
  return `${seeds.length === 1 ? "seed" : "seeds"} ${words}`;
}

/** Added runs that still wait or run: what can be taken back. */
export function listOpenAdded<Row extends Pick<GridRow, "addedAt" | "status">>(runs: readonly Row[]): Row[] {
  return runs.filter(({ addedAt, status }) => addedAt !== null && !isOver(status));
}

/** Where the plan and the runs differ: seeds that were added after the launch. */
export function formatAdded(plan: SweepPlan, runs: readonly Pick<RunRow, "seed" | "addedAt">[]): string {
  const added = runs.filter(({ addedAt }) => addedAt !== null).map(({ seed }) => seed);
  const frozen = `Frozen when launched with ${describeSeeds(plan.seeds)}`;
  return added.length === 0
    ? frozen
    : `${frozen}; ${formatCount(added.length, "run")} of ${describeSeeds(added)} added since`;
}
