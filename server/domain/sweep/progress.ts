import { isOver, overStatuses, runStatuses, statusWords, type RunStatus } from "#server/domain/runStatus.ts";
import { formatCount } from "#server/domain/words.ts";

export type RunCounts = Readonly<Record<RunStatus, number>>;

/** Runs by where they stand: the one source of how many there are and how many are over. */
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

/** "3 running, 1 failed, 4 pending": only the states that there are. */
export function formatCounts(counts: RunCounts): string {
  return runStatuses
    .filter((status) => counts[status] > 0)
    .map((status) => `${counts[status].toLocaleString("en-US")} ${statusWords[status].title.toLowerCase()}`)
    .join(", ");
}

/** Says beside results how many runs may still change them; empty where all are over. */
export function describeOpen(counts: RunCounts): string {
  const numRuns = runStatuses.reduce((sum, status) => sum + counts[status], 0);
  const numOpen = numRuns - countOver(counts);
  if (numOpen === 0) return "";
  const which = numOpen === numRuns ? formatCount(numRuns, "run") : `${numOpen} of ${formatCount(numRuns, "run")}`;
  return `Provisional: ${which} still to end.`;
}

/** Iterations trained by all runs, and still to train by those that are not over. */
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
 * Share of the work that is done, by iterations: a run that has started has done nothing yet. One that failed or was
 * cancelled has nothing left to do. Where no budget is known, the share of runs that are over.
 */
export function progressOf({ iterationsDone, iterationsLeft }: Trained, counts: RunCounts): number {
  const numRuns = runStatuses.reduce((sum, status) => sum + counts[status], 0);
  const numOver = countOver(counts);
  if (numOver === numRuns) return 1;
  return iterationsLeft > 0 ? iterationsDone / (iterationsDone + iterationsLeft) : numOver / numRuns;
}

/** "iteration 12 of 48"; how far a run is of which no budget is known, as of most that are received (budget 0). */
export function describeIteration(latest: number, budget: number): string {
  if (budget > 0) return `iteration ${latest.toLocaleString("en-US")} of ${budget.toLocaleString("en-US")}`;
  return latest > 0 ? `iteration ${latest.toLocaleString("en-US")}` : "no iteration measured";
}

/** "34 %"; 100 % only when nothing is left. */
export function formatProgress(share: number): string {
  return `${Math.floor(100 * share)} %`;
}
