import { z } from "zod";
import type { ReplayReport } from "#trainer/environments/replay.ts";
import { loadReplay } from "#trainer/environments/replays.ts";
import { openPrograms } from "#trainer/programs/openPrograms.ts";
import { runsPython } from "#trainer/programs/packageArgs.ts";
import type { EnvironmentId } from "#trainer/spec/environment.ts";
import { AppError } from "#packages/base";

/** Compares recordings of an original environment with ours; programs in them run in a process with limits. */
export async function compareRecordings(
  id: EnvironmentId,
  records: readonly unknown[],
  games: Readonly<Record<string, unknown>>,
): Promise<ReplayReport> {
  const replay = await loadReplay(id);
  const programs = runsPython(id) ? await openPrograms() : undefined;
  try {
    return replay(records, { games, programs });
  } catch (cause) {
    if (!(cause instanceof z.ZodError)) throw cause;
    const issues = cause.issues.slice(0, 5).map(({ path, message }) => `${path.join(".")}: ${message}`);
    throw new AppError("bad_input", `these are no recordings of ${id}: ${issues.join("; ")}`, { cause });
  } finally {
    await programs?.close();
  }
}
