import { isOver, overStatuses, type RunStatus, runStatuses, statusWords } from "./runStatus.ts";
import { formatCount } from "#packages/base";

export type RunCounts = Readonly<Record<RunStatus, number>>;

/** Counts runs by state: the single source of how many exist and how many are over. */
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

/** "3 running, 1 failed, 4 pending": states with a count of zero are omitted. */
export function formatCounts(counts: RunCounts): string {
  return runStatuses
    .filter((status) => counts[status] > 0)
    .map((status) => `${counts[status].toLocaleString("en-US")} ${statusWords[status].title.toLowerCase()}`)
    .join(", ");
}

/** Number of unfinished runs, printed beside results they may still change; empty if all are over. */
export function describeOpen(counts: RunCounts): string {
  const numRuns = runStatuses.reduce((sum, status) => sum + counts[status], 0);
  const numOpen = numRuns - countOver(counts);
  if (numOpen === 0) return "";
  const which = numOpen === numRuns ? formatCount(numRuns, "run") : `${numOpen} of ${formatCount(numRuns, "run")}`;
  return `Provisional: ${which} not over yet.`;
}

/** Iterations trained by all runs, and remaining iterations of unfinished ones. */
export type Trained = { iterationsDone: number; iterationsLeft: number };

/** Trained and planned iterations of runs with a known budget. */
export function sumTrained(
  runs: readonly { status: RunStatus; latestIteration: number; iterations: number }[],
): Trained {
  return {
    iterationsDone: runs.reduce((sum, run) => sum + run.latestIteration, 0),
    iterationsLeft: runs.reduce(
      (sum, run) => sum + (isOver(run.status) ? 0 : Math.max(0, run.iterations - run.latestIteration)),
      0,
    ),
  };
}

/**
 * Fraction of work done, by iterations; a started run without an iteration counts as 0. A failed or cancelled run has
 * nothing left. Without a known budget, the fraction of finished runs.
 */
export function progressOf({ iterationsDone, iterationsLeft }: Trained, counts: RunCounts): number {
  const numRuns = runStatuses.reduce((sum, status) => sum + counts[status], 0);
  const numOver = countOver(counts);
  if (numOver === numRuns) return 1;
  return iterationsLeft > 0 ? iterationsDone / (iterationsDone + iterationsLeft) : numOver / numRuns;
}

/** "iteration 12 of 48"; without a known budget (0, as for most received runs) only the latest iteration. */
export function describeIteration(latest: number, budget: number): string {
  if (budget > 0) return `iteration ${latest.toLocaleString("en-US")} of ${budget.toLocaleString("en-US")}`;
  return latest > 0 ? `iteration ${latest.toLocaleString("en-US")}` : "no iteration measured";
}

/** "34 %"; 100 % only when no work is left. */
export function formatProgress(share: number): string {
  return `${Math.floor(100 * share)} %`;
}

export type Pace = {
  intent: "run" | "pause" | "cancel";
  counts: Readonly<Record<RunStatus, number>>;
  iterationsDone: number;
  iterationsLeft: number;
  /** Total duration of all attempts, each from its launch to its end or to now. */
  busyMs: number;
};

/**
 * Estimated milliseconds until the sweep ends, at its own pace: time per iteration so far, divided by the number of
 * current runs. Includes cloning, queueing and failed attempts; excludes idle time. Undefined if nothing runs or no
 * iteration is done.
 */
export function timeLeft({ intent, counts, iterationsDone, iterationsLeft, busyMs }: Pace): number | undefined {
  const numLive = counts.running + counts.starting + counts.unknown;
  if (intent !== "run" || numLive === 0 || iterationsDone === 0) return undefined;
  return ((busyMs / iterationsDone) * iterationsLeft) / numLive;
}
