import type { RunRow } from "#server/db/runs/runs.ts";
import type { Snapshot } from "../client/watch.ts";

/** One line of `watch --json`: a run with its state and iteration. */
export type WatchEvent = {
  event: "run";
  run: string;
  method: string;
  label: string;
  seed: number;
  status: RunRow["status"];
  reason: RunRow["reason"];
  iteration: number;
};

/** A line for each run whose state or iteration changed; in the first snapshot, for every run. */
export function toEvents(before: Snapshot | undefined, { runs, cells }: Snapshot): WatchEvent[] {
  const cellOf = new Map(cells.map((cell) => [cell.id, cell]));
  const known = new Map(before?.runs.map((run) => [run.id, run]));
  const isNews = (run: RunRow) => {
    const last = known.get(run.id);
    return last?.status !== run.status || last.latestIteration !== run.latestIteration;
  };
  return runs.filter(isNews).map(({ id, cellId, seed, status, reason, latestIteration }) => ({
    event: "run",
    run: id,
    method: cellOf.get(cellId)?.method ?? "",
    label: cellOf.get(cellId)?.label ?? "",
    seed,
    status,
    reason,
    iteration: latestIteration,
  }));
}
