import type { CellRow, RunRow } from "#server/db/runs.ts";
import type { Status } from "#server/domain/stability/verdict/status.ts";
import { explainState, nameState, runLooks } from "#app/_charts/runLooks.ts";
import { statusLooks } from "#app/_components/stability/statusLooks.ts";
import type { IconName } from "#app/_ui/Icon.tsx";
import type { Tone } from "#app/_ui/StatusPill.tsx";

export type SeedMark = {
  run: RunRow;
  icon: IconName;
  tone: Tone;
  /** Of its iterations, those done: 0 to 1. */
  share: number;
  isUnderWay: boolean;
  /** "Finished", "Collapsed", "Failed: Out of memory". */
  word: string;
  /** "Seed 0: Finished, iteration 48 of 48. Collapsed." */
  label: string;
  explanation: string;
};

export type Row = {
  cell: CellRow;
  seeds: SeedMark[];
  /** Runs that another attempt could finish. */
  gone: RunRow[];
  /** Mean over the runs that are over; undefined where none is. */
  meanMs: number | undefined;
};

type Known = {
  runs: readonly RunRow[];
  standings: ReadonlyMap<string, Status | null>;
  /** Runs that collapsed in hindsight. */
  collapsed: ReadonlySet<string>;
};

/** A configuration with its runs in the order of their seeds. */
export function prepareRow(cell: CellRow, { runs, standings, collapsed }: Known): Row {
  const cellRuns = runs.filter(({ cellId }) => cellId === cell.id).toSorted((a, b) => a.seed - b.seed);
  const times = cellRuns.flatMap(({ startedAt, endedAt }) =>
    startedAt && endedAt ? [endedAt.getTime() - startedAt.getTime()] : [],
  );
  return {
    cell,
    seeds: cellRuns.map((run) => {
      const standing = collapsed.has(run.id) ? "collapsed" : (standings.get(run.id) ?? null);
      return markSeed(run, cell.iterations, standing);
    }),
    gone: cellRuns.filter(({ status }) => status === "failed" || status === "cancelled"),
    meanMs: times.length === 0 ? undefined : times.reduce((sum, ms) => sum + ms, 0) / times.length,
  };
}

/** A run by its state; one that is finished or under way by its stability, where that is worth a word. */
function markSeed(run: RunRow, iterations: number, standing: Status | null): SeedMark {
  const state = nameState(run.status, run.reason);
  const alarm =
    standing === null || standing === "healthy" || standing === "warmup" ? undefined : statusLooks[standing];
  const hasEndedBadly = run.status === "failed" || run.status === "cancelled";
  const { icon, tone } = alarm && !hasEndedBadly ? alarm : runLooks[run.status];
  const progress = `iteration ${run.latestIteration} of ${iterations}`;
  const attempts = run.numAttempts > 1 ? `, attempt ${run.numAttempts}` : "";
  const suffix = alarm ? ` ${alarm.title}.` : "";
  return {
    run,
    icon,
    tone,
    share: iterations > 0 ? Math.min(1, run.latestIteration / iterations) : 0,
    isUnderWay: run.status === "running" || run.status === "starting",
    word: alarm && !hasEndedBadly ? alarm.title : state,
    label: `Seed ${run.seed}: ${state}, ${progress}${attempts}.${suffix}`,
    explanation: explainState(run.status, run.reason, run.text),
  };
}
