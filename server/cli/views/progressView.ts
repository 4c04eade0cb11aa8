import type { Screen } from "../outcome.ts";
import type { RunRow } from "#server/db/runs/runs.ts";
import { toChanges, toProgress } from "./progress.ts";
import type { Snapshot } from "../client/watch.ts";

/** Redraws its last lines on a terminal; elsewhere, writes a line per change since the previous snapshot. */
export function makeProgressView(screen: Screen): { show: (snapshot: Snapshot) => void } {
  let numDrawn = 0;
  let last: Snapshot | undefined;
  const show = (snapshot: Snapshot): void => {
    if (screen.width === undefined) {
      const time = new Date().toISOString().slice(11, 19);
      for (const line of toChanges(last, snapshot)) screen.write(`${time} ${line}\n`);
      last = snapshot;
      return;
    }
    const lines = toProgress(snapshot, {
      width: screen.width,
      height: screen.height ?? 24,
      hasColour: screen.hasColour,
    });
    const back = numDrawn > 0 ? `\u001B[${numDrawn}A\u001B[0J` : "";
    screen.write(`${back}${lines.join("\n")}\n`);
    numDrawn = lines.length;
  };
  return { show };
}

/** Writes a line of JSON per change since the previous snapshot. */
export function makeEventView(writeJson: (event: object) => void): { show: (snapshot: Snapshot) => void } {
  let last: Snapshot | undefined;
  return {
    show: (snapshot) => {
      for (const event of toEvents(last, snapshot)) writeJson(event);
      last = snapshot;
    },
  };
}

/** One line of `watch --json`: a run with its state and iteration. */
type WatchEvent = {
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
