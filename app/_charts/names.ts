import type { RunRow } from "#server/db/runs/runs.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";

/** Legend entry, shared by all charts of a page: a cell on the sweep page, a run on the run page. */
export type LegendEntry = { cellId: number; id: string; label: string; color: string; dash: string | undefined };
/**
 * Name of an x-axis: "Iteration", "Sampled tokens", "Epoch" (cloning metrics). Charts with the same name share a
 * cursor.
 */
export type XAxisName = string;
/** `isOver` is true if the run will log no further values. */
export type RunName = { runId: string; cellId: number; seed: number; isOver?: boolean | undefined };

export type NamedRun = Pick<RunRow, "id" | "cellId" | "seed" | "status">;

export function nameRuns(runs: readonly NamedRun[]): ReadonlyMap<string, RunName> {
  return new Map(runs.map(({ id, cellId, seed, status }) => [id, { runId: id, cellId, seed, isOver: isOver(status) }]));
}

/** Dash pattern of a baseline's level, which no other line uses. */
export const baselineDash = "7 4";

/** Dash patterns of lines that would otherwise look the same. */
export const lineDashes = [undefined, "2 2.5", "9 3 2 3", "1 4", "9 3 2 3 2 3", "4 2 1 2"] as const;
