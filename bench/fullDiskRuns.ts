import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "#server/db/client.ts";
import { readKeys } from "#server/db/points.ts";
import { readPointsOf } from "#server/db/trackedPoints.ts";
import { parseLines } from "#server/ingest/parseLines.ts";
import { fromMetricValue } from "#trainer/spec/event.ts";

type Row = { runId: string; attemptId: number; number: number; folder: string; status: string; reason: string | null };

/** Prints a line for each run; true where all finished and each attempt's points are stored as its log has them. */
export async function compareRuns(database: Database, sweepId: string): Promise<boolean> {
  const { rows } = await database.pool.query<Row>(
    `SELECT r.id AS "runId", r.status, a.id AS "attemptId", a.number, a.folder, a.reason
     FROM run r JOIN attempt a ON a.run_id = r.id WHERE r.sweep_id = $1 ORDER BY r.id, a.number`,
    [sweepId],
  );
  const runIds = [...new Set(rows.map(({ runId }) => runId))];
  let isWhole = runIds.length === 4;
  print(["run", "is", "attempts ended as", "points logged", "points stored", "same"]);
  for (const runId of runIds) {
    const attempts = rows.filter((row) => row.runId === runId);
    const keys = await readKeys(database.pool, [runId]);
    let [numLogged, numStored, isSame] = [0, 0, true];
    for (const { attemptId, folder } of attempts) {
      const logged = readLogged(folder);
      const stored = await readStored(database, attemptId, keys);
      numLogged += logged.length;
      numStored += stored.length;
      isSame &&= logged.join("\n") === stored.join("\n");
    }
    const status = attempts[0]?.status ?? "";
    isWhole &&= isSame && status === "finished";
    const ends = attempts.map(({ reason }) => reason ?? "completed").join(", ");
    print([runId.slice(-24), status, ends, String(numLogged), String(numStored), isSame ? "yes" : "NO"]);
  }
  return isWhole;
}

/** Key, iteration and value of each point, sorted. */
function readLogged(folder: string): string[] {
  const { events } = parseLines(readFileSync(join(folder, "events.jsonl")), { offset: 0, isFinal: false });
  const points = events.flatMap(({ event }) => {
    if (event.type !== "metrics") return [];
    return Object.entries(event.values).map(([key, value]) => `${key} ${event.iteration} ${fromMetricValue(value)}`);
  });
  return points.sort();
}

async function readStored({ pool }: Database, attemptId: number, keys: readonly string[]): Promise<string[]> {
  const points: string[] = [];
  for (const key of keys) {
    for (const { iteration, value } of await readPointsOf(pool, attemptId, key))
      points.push(`${key} ${iteration} ${value}`);
  }
  return points.sort();
}

function print(cells: readonly string[]): void {
  console.log(cells.map((cell, i) => cell.padEnd([26, 10, 32, 14, 14, 5][i] ?? 0)).join(""));
}
