import type { RunRow } from "#server/db/runs.ts";
import { isOver } from "#server/domain/runStatus.ts";

/** One line of the legend: a cell on the sweep page, a run on the run page. The same on every chart of a page. */
export type LegendEntry = { cellId: number; id: string; label: string; color: string; dash: string | undefined };
/** "Iteration", "Sampled tokens", "Training time (min)"; "Epoch" for metrics of cloning. Charts of one name share a cursor. */
export type XAxisName = string;
/** `isOver`: nothing more will be logged. */
export type RunName = { runId: string; cellId: number; seed: number; isOver?: boolean | undefined };

export type NamedRun = Pick<RunRow, "id" | "cellId" | "seed" | "status">;

export function nameRuns(runs: readonly NamedRun[]): ReadonlyMap<string, RunName> {
  return new Map(runs.map(({ id, cellId, seed, status }) => [id, { runId: id, cellId, seed, isOver: isOver(status) }]));
}
