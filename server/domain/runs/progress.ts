import { isOver, overStatuses, type RunStatus, runStatuses, statusWords } from "./runStatus.ts";
import { formatCount } from "#packages/base";
import type { PlannedPace } from "#server/domain/plan/sweep/estimate/estimate.ts";

type Intent = "run" | "pause" | "cancel";
export type RunCounts = Readonly<Record<RunStatus, number>>;

export function countRuns(runs: readonly { status: RunStatus }[]): RunCounts {
  const countOf = (status: RunStatus) => runs.filter((run) => run.status === status).length;
  return {
    pending: countOf("pending"),
    starting: countOf("starting"),
    running: countOf("running"),
    unknown: countOf("unknown"),
    finished: countOf("finished"),
    failed: countOf("failed"),
    cancelled: countOf("cancelled"),
  };
}

export function countOver(counts: RunCounts): number {
  return overStatuses.reduce((sum, status) => sum + counts[status], 0);
}

/** True if all runs have ended, or a search was cancelled before its first run; false for one that waits for it. */
export function isSweepOver({ intent, counts, numRuns }: { intent: Intent; counts: RunCounts; numRuns: number }) {
  return numRuns > 0 ? countOver(counts) === numRuns : intent === "cancel";
}

/** Formats counts, such as "3 running, 1 failed, 4 pending". Statuses without runs are omitted. */
export function formatCounts(counts: RunCounts): string {
  return runStatuses
    .filter((status) => counts[status] > 0)
    .map((status) => `${counts[status].toLocaleString("en-US")} ${statusWords[status].title.toLowerCase()}`)
    .join(", ");
}

/** Returns the note printed beside results that unfinished runs may still change; empty if all runs have ended. */
export function describeOpen(counts: RunCounts): string {
  const numRuns = runStatuses.reduce((sum, status) => sum + counts[status], 0);
  const numOpen = numRuns - countOver(counts);
  if (numOpen === 0) return "";
  const which = numOpen === numRuns ? formatCount(numRuns, "run") : `${numOpen} of ${formatCount(numRuns, "run")}`;
  return `Provisional: ${which} still in progress.`;
}

/** Iterations done, and left in unfinished runs; null if an unfinished run has no known budget. */
export type Trained = { iterationsDone: number; iterationsLeft: number | null };

/** Sums iterations over runs. A run that trains with budget 0 has no known budget. */
export function sumTrained(
  runs: readonly { status: RunStatus; latestIteration: number; iterations: number }[],
): Trained {
  const open = runs.filter(({ status }) => !isOver(status));
  const isUnknown = open.some((run) => run.iterations === 0 && run.latestIteration > 0);
  return {
    iterationsDone: runs.reduce((sum, run) => sum + run.latestIteration, 0),
    iterationsLeft: isUnknown
      ? null
      : open.reduce((sum, run) => sum + Math.max(0, run.iterations - run.latestIteration), 0),
  };
}

/** Progress of trained runs that have not ended, such as the last evaluation: 100 % appears only at the end. */
const almost = 0.99;

/**
 * Returns the fraction of iterations that is done; 1 if all runs have ended, 0 if there is no run yet. If iterations are unknown or none is
 * planned, it is the fraction of ended runs.
 */
export function progressOf({ iterationsDone, iterationsLeft }: Trained, counts: RunCounts): number {
  const numRuns = runStatuses.reduce((sum, status) => sum + counts[status], 0);
  const numOver = countOver(counts);
  if (numRuns === 0) return 0;
  if (numOver === numRuns) return 1;
  if (iterationsLeft === null || iterationsDone + iterationsLeft === 0) return numOver / numRuns;
  return Math.min(almost, iterationsDone / (iterationsDone + iterationsLeft));
}

/** Describes "iteration 12 of 48"; without a known budget (0, as for received runs), only the latest iteration. */
export function describeIteration(latest: number, budget: number): string {
  if (budget > 0) return `iteration ${latest.toLocaleString("en-US")} of ${budget.toLocaleString("en-US")}`;
  return latest > 0 ? `iteration ${latest.toLocaleString("en-US")}` : "no iteration measured";
}

/** Formats a fraction as percent, rounded down: 100 % appears only if no work is left. */
export function formatProgress(share: number): string {
  return `${Math.floor(100 * share)} %`;
}

export type Pace = Trained & {
  intent: Intent;
  counts: RunCounts;
  /** Time in ms from launch to end (or until now), summed over all attempts. */
  busyMs: number;
};

/** Fraction trained from which the speed so far corrects the plan's estimate. */
const minTrained = 0.05;

/**
 * Estimates the ms left: the plan's estimate, corrected by the measured speed (or else the time so far) once 5 % is
 * trained. Without an estimate (null) it is the time per iteration so far, shared by the runs in progress, undefined
 * below 5 %. Undefined for a paused or cancelled sweep, without runs in progress, if the remaining iterations are
 * unknown, and while the plan's estimate loads (undefined).
 */
export function timeLeft(pace: Pace, planned: PlannedPace | null | undefined): number | undefined {
  const { intent, counts, iterationsDone, iterationsLeft, busyMs } = pace;
  const numNow = counts.running + counts.starting + counts.unknown;
  if (planned === undefined || intent !== "run" || numNow === 0 || iterationsLeft === null) return undefined;
  const isEarly = iterationsDone === 0 || progressOf(pace, counts) < minTrained;
  if (planned) return (isEarly ? 1 : (planned.speed ?? busyMs / planned.doneMs)) * planned.leftMs;
  return isEarly ? undefined : ((busyMs / iterationsDone) * iterationsLeft) / numNow;
}
