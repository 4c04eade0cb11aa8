import { formatCount, groupBy } from "#packages/base";
import { isOver, reasonWords, type RunReason, type RunStatus } from "./runStatus.ts";

type Run = { cellId: number; sweepId: string; seed: number; status: RunStatus; reason: RunReason | null };

/** Begins the keys for names with which other trainers state what they dropped. */
const droppedPrefix = "dropped ";

/** Runs of a table that did not end as planned, and those that it lacks; numbers above 0 only. */
export type Ends = Readonly<Record<string, number>>;

type Counted = {
  runs: readonly Run[];
  /** All cells of sweeps with a plan, and all runs, also those that the table leaves out. */
  cells: readonly { id: number; sweepId: string }[];
  chosen: readonly Run[];
  numTakenBack: number;
  /** Each run's share of episodes discarded for their age, and of groups not trained on. */
  discarded: readonly number[];
  filtered: readonly number[];
  /** Largest value of each run, by the name with which other trainers state what they dropped. */
  droppedElsewhere: ReadonlyMap<string, readonly number[]>;
  /** Number of runs with log lines that were not understood. */
  numUnread: number;
};

/** Counts runs by the way they ended; undefined if all finished, none is missing, and nothing was dropped. */
export function countEnds({ runs, cells, chosen, numTakenBack, ...dropped }: Counted): Ends | undefined {
  const countAbove0 = (shares: readonly number[]) => shares.filter((share) => share > 0).length;
  const stopped = runs.filter(({ status }) => status === "failed" || status === "cancelled");
  const counts = {
    ...Object.fromEntries(
      [...groupBy(stopped, ({ status, reason }) => reason ?? status)].map(([why, alike]) => [why, alike.length]),
    ),
    open: runs.filter(({ status }) => !isOver(status)).length,
    missing: countMissing(cells, chosen),
    takenBack: numTakenBack,
    discarding: countAbove0(dropped.discarded),
    filtering: countAbove0(dropped.filtered),
    unread: dropped.numUnread,
    ...Object.fromEntries(
      [...dropped.droppedElsewhere].map(([name, values]) => [`${droppedPrefix}${name}`, countAbove0(values)]),
    ),
  };
  const found = Object.entries(counts).filter(([, count]) => count > 0);
  return found.length > 0 ? { ...Object.fromEntries(found), runs: runs.length } : undefined;
}

/** Counts pairs of a configuration and a seed of its sweep without a run. */
function countMissing(cells: Counted["cells"], chosen: readonly Run[]): number {
  const runsOf = groupBy(chosen, ({ sweepId }) => sweepId);
  return [...groupBy(cells, ({ sweepId }) => sweepId)].reduce((sum, [sweepId, own]) => {
    const runs = runsOf.get(sweepId) ?? [];
    const there = new Set(runs.map(({ cellId, seed }) => `${cellId} ${seed}`)).size;
    return sum + Math.max(0, own.length * new Set(runs.map(({ seed }) => seed)).size - there);
  }, 0);
}

/** "Of 24 runs, 2 did not finish: out of memory 1, cancelled by user 1. 1 run is missing: …". */
export function tellEnds(ends: Ends): string {
  const { runs = 0, open = 0, missing = 0, takenBack = 0, discarding = 0, filtering = 0, unread = 0, ...others } = ends;
  const isElsewhere = ([key]: [string, number]) => key.startsWith(droppedPrefix);
  const elsewhere = Object.entries(others).filter(isElsewhere);
  const reasons = Object.entries(others).filter((entry) => !isElsewhere(entry));
  const numStopped = reasons.reduce((sum, [, count]) => sum + count, 0);
  const why = reasons.map(([reason, count]) => `${nameReason(reason)} ${count}`);
  const ofRuns = `Of ${formatCount(runs, "run")}, `;
  return [
    ...(numStopped > 0 ? [`${ofRuns}${numStopped} did not finish: ${why.join(", ")}.`] : []),
    ...(open > 0 ? [`${numStopped > 0 ? "" : ofRuns}${open} ${open === 1 ? "has" : "have"} not ended.`] : []),
    ...(missing > 0
      ? [`${formatCount(missing, "run is", "runs are")} missing: a configuration lacks a seed that others have.`]
      : []),
    ...(takenBack > 0
      ? [`${formatCount(takenBack, "added run was", "added runs were")} removed again and do not count.`]
      : []),
    ...(discarding > 0 ? [`${formatCount(discarding, "run")} discarded episodes for their age.`] : []),
    ...(filtering > 0 ? [`${formatCount(filtering, "run")} did not train on all generated groups.`] : []),
    ...elsewhere.map(([key, count]) => {
      return `${formatCount(count, "run")} logged dropped or empty responses (${key.slice(droppedPrefix.length)}).`;
    }),
    ...(unread > 0 ? [`${formatCount(unread, "run has", "runs have")} log lines that were not understood.`] : []),
  ].join(" ");
}

function nameReason(reason: string): string {
  return (
    Object.entries(reasonWords)
      .find(([key]) => key === reason)?.[1]
      .title.toLowerCase() ?? reason
  );
}
