import type { RunRow } from "#server/db/runs/runs.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";

/** Name and look of a line in all charts of a page. A line is a cell on a sweep's page, a run on a run's page. */
export type LegendEntry = {
  cellId: number;
  id: string;
  label: string;
  color: string;
  /** Index of the configuration's shape of dots; 0 (a disc) if absent. */
  mark?: number;
  dash: string | undefined;
};
/** Title of an x-axis: "Iteration", "Sampled tokens", "Epoch". Charts with the same title share a cursor. */
export type XAxisName = string;
/** Run with the cell and seed to which it belongs. `isOver` is true if the run will log no further values. */
export type RunName = { runId: string; cellId: number; seed: number; isOver?: boolean | undefined };

export type NamedRun = Pick<RunRow, "id" | "cellId" | "seed" | "status">;

export function nameRuns(runs: readonly NamedRun[]): ReadonlyMap<string, RunName> {
  return new Map(runs.map(({ id, cellId, seed, status }) => [id, { runId: id, cellId, seed, isOver: isOver(status) }]));
}

/** SVG dash pattern of the horizontal line at a baseline's final value; no other line uses it. */
export const baselineDash = "7 4";

/** SVG dash patterns that distinguish lines of the same colour; the first line is solid. */
export const lineDashes = [undefined, "2 2.5", "9 3 2 3", "1 4", "9 3 2 3 2 3", "4 2 1 2"] as const;
