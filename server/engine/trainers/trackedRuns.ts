import type { Database } from "#server/db/storage/client.ts";
import { findLogTarget, readTrackedRuns, type TrackedRunRow } from "#server/db/trainers/tracked.ts";
import { AppError } from "#packages/base";
import type { TrackedTarget } from "./journals.ts";

/** Throws `not_found` for an unknown run. */
export async function findRun(database: Database, id: string): Promise<TrackedRunRow> {
  const [run] = await readTrackedRuns(database, { id });
  if (!run) throw new AppError("not_found", `there is no run ${id}`);
  return run;
}

/** A writable run; throws `bad_input` for a deleted one. */
export async function findActiveRun(database: Database, runId: string): Promise<TrackedTarget> {
  const target = await findLogTarget(database, runId);
  if (!target) throw new AppError("not_found", `there is no run ${runId}`);
  if (target.stage === "deleted") throw new AppError("bad_input", `run ${runId} is deleted: restore it first`);
  return { ...target, runId };
}
