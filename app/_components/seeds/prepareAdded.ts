import { formatCount, formatRough } from "#app/_charts/format.ts";
import { mean } from "#packages/statistics";
import type { CellRow, RunRow } from "#server/db/runs/runs.ts";
import { widenGrid } from "#server/domain/plan/sweep/expand/widen.ts";
import type { SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import { describeSeeds } from "./prepareSeeds.ts";

export type Grid = { cells: readonly Pick<CellRow, "id" | "index">[]; runs: readonly GridRow[] };
type GridRow = Pick<RunRow, "cellId" | "seed" | "status" | "startedAt" | "endedAt" | "addedAt">;

type Asked = {
  grid: Grid;
  plan: SweepPlan;
  slots: number;
  /** Estimates durations where no run has ended; without it they are unknown. */
  guess?: (grid: Grid, plan: SweepPlan) => ReadonlyMap<number, number>;
};

/** Estimates durations from runs of the same configuration, else of this sweep, else from the plan's settings. */
export function prepareAdded({ grid, plan, slots, guess }: Asked, numNew: number) {
  const added = widenGrid(grid, numNew);
  const took = measureRuns(grid.runs);
  const all = [...took.values()].flat();
  const guessed = all.length > 0 ? undefined : guess?.(grid, plan);
  const timesMs = added.map(({ cellId }) => guessed?.get(cellId) ?? mean(took.get(cellId) ?? all));
  const slotMs = (plan.placement?.slots ?? 1) * timesMs.reduce((sum, ms) => sum + ms, 0);
  const ms = Math.max(slotMs / Math.max(1, slots), ...timesMs);
  const source = guessed ? "estimated from the plan" : "estimated from the runs so far";
  return {
    numRuns: added.length,
    runs: formatCount(added.length, "run"),
    seeds: describeSeeds(added.map(({ seed }) => seed)),
    slotMs,
    time: Number.isNaN(ms)
      ? "the duration is unknown until a run has ended, because the size of the pretrained model is unknown"
      : `about ${formatRough(ms)} on ${formatCount(slots, "slot")}, ${source}`,
  };
}

/** Returns the durations of finished runs in ms, by cell id. */
function measureRuns(runs: readonly GridRow[]): Map<number, number[]> {
  const took = new Map<number, number[]>();
  for (const { cellId, status, startedAt, endedAt } of runs) {
    if (status !== "finished" || !startedAt || !endedAt) continue;
    took.set(cellId, [...(took.get(cellId) ?? []), endedAt.getTime() - startedAt.getTime()]);
  }
  return took;
}
