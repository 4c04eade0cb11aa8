import type { Database } from "#server/db/client.ts";
import { cancelRun, retryRun } from "#server/db/runs.ts";
import { deleteSweep, retryRuns, setSweepIntent } from "#server/db/sweeps.ts";
import { findSweep, isRunId } from "./findSweep.ts";
import type { Outcome } from "./outcome.ts";

/** Asks for a sweep or a run to be stopped; the orchestrator does it. */
export async function cancel(database: Database, target: string): Promise<Outcome> {
  if (isRunId(target)) {
    await cancelRun(database, target);
    return { text: `Run ${target} is being cancelled`, json: { run: target, intent: "cancel" }, exitCode: 0 };
  }
  const { id } = await findSweep(database, target);
  await setSweepIntent(database, id, "cancel");
  return { text: `Sweep ${id} is being cancelled`, json: { sweep: id, intent: "cancel" }, exitCode: 0 };
}

/** Gives a run, or all of a sweep's that failed or were cancelled, one more attempt. */
export async function retry(database: Database, target: string): Promise<Outcome> {
  if (isRunId(target)) {
    await retryRun(database, target);
    return { text: `Run ${target} is tried again`, json: { run: target, numRuns: 1 }, exitCode: 0 };
  }
  const { id } = await findSweep(database, target);
  const numRuns = await retryRuns(database, id);
  const runs = numRuns === 1 ? "1 run is" : `${numRuns} runs are`;
  return { text: `${runs} tried again in sweep ${id}`, json: { sweep: id, numRuns }, exitCode: 0 };
}

/** Takes a sweep that is over out of the database; the folders of its runs stay. */
export async function forget(database: Database, target: string): Promise<Outcome> {
  const { id } = await findSweep(database, target);
  await deleteSweep(database, id);
  return { text: `Sweep ${id} is deleted; the folders of its runs stay`, json: { sweep: id }, exitCode: 0 };
}
