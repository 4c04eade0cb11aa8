import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { withDatabase } from "./withDatabase.ts";

/** One value of a metric from a trainer's log. The log's texts NaN, Infinity and -Infinity are converted to numbers. */
export type LoggedPoint = { iteration: number; key: string; value: number };

export type LoggedRun = { runId: string; method: string; seed: number; attemptId: number; points: LoggedPoint[] };

/** Reads the event logs of all attempts of a sweep's runs, without using the product's code. */
export async function readLogs(home: string, sweepId: string): Promise<LoggedRun[]> {
  const attempts = await withDatabase(home, async ({ pool }) => {
    const { rows } = await pool.query<{
      runId: string;
      method: string;
      seed: number;
      attemptId: number;
      folder: string;
    }>(
      `SELECT run.id AS "runId", cell.method, run.seed, attempt.id AS "attemptId", attempt.folder
       FROM attempt JOIN run ON run.id = attempt.run_id JOIN cell ON cell.id = run.cell_id
       WHERE run.sweep_id = $1 ORDER BY cell.index, run.seed, attempt.number`,
      [sweepId],
    );
    return rows;
  });
  return Promise.all(
    attempts.map(async ({ folder, ...attempt }) => ({
      ...attempt,
      points: listPoints(await readFile(join(folder, "events.jsonl"), "utf8")),
    })),
  );
}

function listPoints(text: string): LoggedPoint[] {
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line): MetricsLine => JSON.parse(line));
  return lines
    .filter(({ type }) => type === "metrics")
    .flatMap(({ iteration, values }) =>
      Object.entries(values).map(([key, value]) => ({ iteration, key, value: Number(value) })),
    );
}

type MetricsLine = { type: string; iteration: number; values: Record<string, number | string> };
