import type { CellRow, RunRow } from "#server/db/runs/runs.ts";
import { mean } from "#packages/statistics";
import { estimateRunSeconds } from "#server/domain/plan/sweep/estimate.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand.ts";
import type { SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import { widenGrid } from "#server/domain/plan/sweep/widen.ts";
import { formatCount, formatRough } from "#app/_charts/format.ts";
import { describeSeeds } from "./prepareSeeds.ts";

type Grid = { cells: readonly Pick<CellRow, "id" | "index">[]; runs: readonly GridRow[] };
type GridRow = Pick<RunRow, "cellId" | "seed" | "status" | "startedAt" | "endedAt" | "addedAt">;

/** Runs that adding seeds would launch, in words: count, seeds, and time. */
export type Added = { numRuns: number; runs: string; seeds: string; time: string };

type Asked = { grid: Grid; plan: SweepPlan; slots: number };

/**
 * The runs that the server would add for this many new seeds per configuration. Their time is estimated from runs of the same configuration, else of
 * this sweep, else by the builder.
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
    time: Number.isNaN(ms)
      ? "a time that is known once a run is over: a pretrained model’s size is not known here"
      : `about ${formatRough(ms)} on ${formatCount(slots, "slot")}, ${source}`,
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
