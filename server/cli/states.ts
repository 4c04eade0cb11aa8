import type { SweepSummary } from "#server/db/sweeps.ts";
import { type RunStatus, sayFullDisks } from "#server/domain/runStatus.ts";
import type { Style, TextCell } from "./columns.ts";

export const statusStyle: Record<RunStatus, Style> = {
  pending: "dim",
  starting: "cyan",
  running: "cyan",
  unknown: "yellow",
  finished: "green",
  failed: "red",
  cancelled: "yellow",
};

/** One word for a sweep: what its runs do, then what its user wants of it. */
export function sweepState(sweep: Pick<SweepSummary, "intent" | "counts" | "numRuns" | "fullDisks">): TextCell {
  const { intent, counts, numRuns, fullDisks = [] } = sweep;
  const { finished, failed, cancelled } = counts;
  if (finished === numRuns) return { text: "finished", style: "green" };
  if (finished + failed + cancelled === numRuns) {
    return failed > 0 ? { text: "failed", style: "red" } : { text: "cancelled", style: "yellow" };
  }
  if (intent === "cancel") return { text: "cancelling", style: "yellow" };
  const isBusy = counts.running + counts.starting + counts.unknown > 0;
  if (intent === "pause") return { text: isBusy ? "pausing" : "paused", style: "yellow" };
  if (fullDisks.length > 0) return { text: `paused: ${sayFullDisks(fullDisks)}`, style: "yellow" };
  return isBusy ? { text: "running", style: "cyan" } : { text: "pending", style: "dim" };
}
