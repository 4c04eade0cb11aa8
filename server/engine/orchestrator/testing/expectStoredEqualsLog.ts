import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Database } from "#server/db/storage/client.ts";
import type { Launcher } from "#server/engine/launchers/launcher.ts";
import { listLoggedPoints, listStoredPoints } from "./storedPoints.ts";

/** Checks that exactly the measurements in every attempt's log are stored, once each. */
export async function expectStoredEqualsLog({ pool }: Pick<Database, "pool">, launcher: Launcher): Promise<void> {
  const { rows: attempts } = await pool.query<{ id: number; jobId: string }>(
    'SELECT id, job_id AS "jobId" FROM attempt',
  );
  let numPoints = 0;
  for (const { id, jobId } of attempts) {
    const path = join(launcher.folderOf(jobId), "events.jsonl");
    if (!existsSync(path)) continue;
    const logged = listLoggedPoints(readFileSync(path, "utf8"));
    numPoints += logged.length;
    expect(await listStoredPoints({ pool }, id), jobId).toEqual(logged);
  }
  expect(numPoints).toBeGreaterThan(0);
}
