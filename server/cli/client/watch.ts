import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "#server/db/storage/client.ts";
import { readStabilityFacts } from "#server/db/analysis/detections.ts";
import { readHealth } from "#server/db/fleet/leadership.ts";
import { type CellRow, readCells, readRuns, type RunRow } from "#server/db/runs/runs.ts";
import { readSweep, type SweepSummary } from "#server/db/plan/sweeps.ts";
import { countUntaught } from "#server/db/analysis/untaught.ts";
import { isOver } from "#server/domain/runs/runStatus.ts";
import type { StabilityFacts } from "#packages/detector";
import { isConnectionLost } from "../problem.ts";

/** State of a sweep at one moment; `isAttended` is false while no orchestrator is running. */
export type Snapshot = {
  sweep: SweepSummary;
  cells: readonly CellRow[];
  runs: readonly RunRow[];
  /** Current alarm of each run, by run id. */
  alarms: ReadonlyMap<string, StabilityFacts["alarm"]>;
  isAttended: boolean;
  /** Number of runs that have had no success so far, before or during training. */
  numUntaught: number;
};

type Watch = { show: (snapshot: Snapshot) => void; signal: AbortSignal; everyMs?: number };

const patienceMs = 60_000;
/** Maximum wait in ms for finished runs' hindsight labels, which the orchestrator stores shortly after a run ends. */
const labelPatienceMs = 30_000;

/** Polls a sweep until every run is over and labelled. A database outage of up to a minute is tolerated. */
export async function watch(
  database: Database,
  id: string,
  { show, signal, everyMs = 1000 }: Watch,
): Promise<Snapshot> {
  const cells = await readCells(database, { sweepIds: [id] });
  let lastSeenMs = Date.now();
  let last: Snapshot | undefined;
  let overMs: number | undefined;
  for (;;) {
    try {
      last = await look(database, id, cells);
      lastSeenMs = Date.now();
      show(last);
      if (last.runs.every(({ status }) => isOver(status))) {
        overMs ??= Date.now();
        if (Date.now() - overMs > labelPatienceMs || !(await isLabelPending(database, id))) return last;
      }
    } catch (error) {
      const isOutage = error instanceof Error && isConnectionLost(error);
      if (!isOutage || Date.now() - lastSeenMs > patienceMs) throw error;
    }
    if (last && signal.aborted) return last;
    await sleep(everyMs, undefined, { signal }).catch(() => {});
  }
}

async function isLabelPending({ pool }: Database, id: string): Promise<boolean> {
  const facts = await readStabilityFacts(pool, { sweepIds: [id] });
  return facts.some(({ hindsight }) => hindsight.word === "not judged yet");
}

async function look(database: Database, id: string, cells: readonly CellRow[]): Promise<Snapshot> {
  const [sweep, runs, facts, health, untaught] = await Promise.all([
    readSweep(database, id),
    readRuns(database, { sweepIds: [id] }),
    readStabilityFacts(database.pool, { sweepIds: [id] }),
    readHealth(database),
    countUntaught(database.pool, [id]),
  ]);
  const alarms = new Map(facts.map(({ runId, alarm }) => [runId, alarm]));
  return { sweep, cells, runs, alarms, isAttended: health.state === "alive", numUntaught: untaught.get(id) ?? 0 };
}
