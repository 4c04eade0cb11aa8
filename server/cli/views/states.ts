import type { RunRow } from "#server/db/runs/runs.ts";
import type { SweepSummary } from "#server/db/plan/sweeps.ts";
import { reasonWords, type RunStatus, describeFullDisks } from "#server/domain/runs/runStatus.ts";
import { isSweepOver } from "#server/domain/runs/progress.ts";
import type { Style, StyledText } from "./columns.ts";

const statusStyle: Record<RunStatus, Style> = {
  pending: "dim",
  starting: "cyan",
  running: "cyan",
  unknown: "yellow",
  finished: "green",
  failed: "red",
  cancelled: "yellow",
};

export function sweepState(
  sweep: Pick<SweepSummary, "intent" | "counts" | "numRuns" | "origin" | "fullDisks">,
): StyledText {
  const { intent, counts, numRuns, origin, fullDisks = [] } = sweep;
  const { finished, failed } = counts;
  if (numRuns > 0 && finished === numRuns) return { text: "finished", style: "green" };
  if (isSweepOver(sweep)) {
    return failed > 0 ? { text: "failed", style: "red" } : { text: "cancelled", style: "yellow" };
  }
  if (origin === "import") return { text: "importing", style: "dim" };
  if (intent === "cancel") return { text: "cancelling", style: "yellow" };
  const isBusy = counts.running + counts.starting + counts.unknown > 0;
  if (intent === "pause") return { text: isBusy ? "pausing" : "paused", style: "yellow" };
  if (fullDisks.length > 0) return { text: `paused: ${describeFullDisks(fullDisks)}`, style: "yellow" };
  return isBusy ? { text: "running", style: "cyan" } : { text: "pending", style: "dim" };
}

export function runState({ status, reason }: Pick<RunRow, "status" | "reason">): StyledText {
  const isPaused = status === "pending" && reason === "disk_full";
  return isPaused ? { text: "paused", style: "yellow" } : { text: status, style: statusStyle[status] };
}

/** Returns the reason for a run's state, or "" if the status alone shows it. */
export function reasonText({ reason, text }: Pick<RunRow, "reason" | "text">): string {
  if (reason === null || reason === "completed" || reason === "cancelled_by_user") return "";
  if (reason === "disk_full" && text !== null) return text;
  return [reasonWords[reason].title, text].filter(Boolean).join(": ");
}
