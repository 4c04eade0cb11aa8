import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Database } from "#server/db/client.ts";
import type { Launcher } from "#server/launchers/launcher.ts";
import { fromMetricValue, RunEvent } from "#trainer/spec/event.ts";

/**
 * Every point of every attempt's log is stored, once, with its value; and nothing else is. Counted from the raw tables
 * and from the raw files, past the code that reads either in the product.
 */
export async function expectStoredEqualsLog({ pool }: Pick<Database, "pool">, launcher: Launcher): Promise<void> {
  const { rows: attempts } = await pool.query<{ id: number; jobId: string }>(
    'SELECT id, job_id AS "jobId" FROM attempt',
  );
  let numPoints = 0;
  for (const { id, jobId } of attempts) {
    const { rows } = await pool.query<{ point: string }>(storedQuery, [id]);
    const path = join(launcher.folderOf(jobId), "events.jsonl");
    if (!existsSync(path)) continue;
    const logged = readFileSync(path, "utf8").trimEnd().split("\n").flatMap(listPoints);
    numPoints += logged.length;
    expect(rows.map(({ point }) => point).sort(), jobId).toEqual(logged.sort());
  }
  expect(numPoints).toBeGreaterThan(0);
}

// Values are compared by their eight bytes, so that NaN equals NaN and nothing is rounded on the way.
const storedQuery = `
  SELECT key || ' ' || iteration || ' ' || encode(bytes, 'hex') AS point FROM (
    SELECT metric_id, iteration, float8send(value) AS bytes
    FROM metric_row, unnest(metric_ids, values) AS u(metric_id, value) WHERE attempt_id = $1
    UNION ALL
    SELECT metric_id,
      CASE WHEN iterations IS NULL THEN first_iteration + i
        ELSE ('x' || encode(substr(iterations, i * 4 + 1, 4), 'hex'))::bit(32)::int END,
      substr(values, i * 8 + 1, 8)
    FROM metric_block, generate_series(0, num_points - 1) AS i WHERE attempt_id = $1
  ) AS stored JOIN metric_name ON metric_name.id = metric_id`;

function listPoints(line: string): string[] {
  const event = RunEvent.parse(JSON.parse(line));
  if (event.type !== "metrics") return [];
  return Object.entries(event.values).map(([key, value]) => {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleBE(fromMetricValue(value));
    return `${key} ${event.iteration} ${bytes.toString("hex")}`;
  });
}
