import { createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { AppError } from "#packages/base";
import { countLog, type LogFacts } from "#server/domain/runs/integrity/logFacts.ts";
import { type AttemptFacts, checkIntegrity, type IntegrityReport } from "#server/domain/runs/integrity/report.ts";
import { parseRunStatus } from "#server/domain/runs/runStatus.ts";
import { countsEpochs } from "#trainer/spec/metric.ts";
import type { Database, Pooled } from "../storage/client.ts";
import { iterationsSql } from "../storage/sql.ts";
import { readMetricKeys } from "./pointWrites.ts";
import { readRows } from "../storage/readRows.ts";
import { z } from "zod";

const Row = z.object({
  id: z.number(),
  number: z.number(),
  live: z.boolean(),
  folder: z.string(),
  numLines: z.number(),
  numRejected: z.number(),
  firstIteration: z.number().nullable(),
  numWritten: z.number().nullable(),
});

/** Compares a run's stored data with the line counts in its logs, and with a new count of their lines. */
export async function readIntegrity({ pool }: Pooled, runId: string): Promise<IntegrityReport> {
  const Run = z.object({
    status: z.string(),
    budget: z.number().nullable(),
    numBefore: z.number(),
    origin: z.string(),
  });
  const [run] = await readRows(pool, Run, {
    sql: `SELECT run.status, sweep.origin, ${iterationsSql("cell.spec")} AS budget,
       CASE WHEN cell.spec->'initialisation'->>'kind' = 'branch' THEN (cell.spec->'initialisation'->>'iteration')::int
         ELSE 0 END AS "numBefore"
     FROM run JOIN cell ON cell.id = run.cell_id JOIN sweep ON sweep.id = run.sweep_id WHERE run.id = $1`,
    values: [runId],
  });
  if (run === undefined) throw new AppError("not_found", `there is no run ${runId}`);
  const rows = await readRows(pool, Row, {
    sql: `SELECT id, number, live, folder, num_metric_lines AS "numLines", num_rejected AS "numRejected",
       (started->>'firstIteration')::int AS "firstIteration", (done->>'numMetricLines')::int AS "numWritten"
     FROM attempt WHERE run_id = $1 ORDER BY number`,
    values: [runId],
  });
  const attempts = await Promise.all(
    rows.map(async ({ id, folder, ...facts }): Promise<AttemptFacts> => {
      return { ...facts, ...(await readStored(pool, id)), log: await readLog(folder) };
    }),
  );
  // The number of iterations that an external trainer was to train is unknown, so there is no budget to compare with.
  const budget = run.origin === "plan" ? run.budget : null;
  return checkIntegrity({ status: parseRunStatus(run.status), budget, numBefore: run.numBefore, attempts });
}

const Piece = z.object({
  metricId: z.number(),
  numPoints: z.number(),
  firstIteration: z.number(),
  iterations: z.instanceof(Buffer).nullable(),
  values: z.instanceof(Buffer),
});
type Piece = z.infer<typeof Piece>;

// One statement reads blocks and single rows, because compaction moves points from rows to blocks.
async function readStored(pool: Database["pool"], attemptId: number) {
  const rows = await readRows(pool, Piece, {
    sql: `SELECT metric_id AS "metricId", num_points AS "numPoints", first_iteration AS "firstIteration", iterations, values
       FROM metric_block WHERE attempt_id = $1
     UNION ALL
       SELECT u.id, count(*)::int, min(iteration), string_agg(int4send(iteration), '' ORDER BY seq),
         string_agg(float8send(u.value), '' ORDER BY seq)
       FROM metric_row, unnest(metric_ids, values) AS u(id, value) WHERE attempt_id = $1 GROUP BY u.id`,
    values: [attemptId],
  });
  const keyOf = await readMetricKeys(
    pool,
    rows.map(({ metricId }) => metricId),
  );
  const iterations = new Set<number>();
  let [numPoints, numNonFinite] = [0, 0];
  for (const piece of rows) {
    numPoints += piece.numPoints;
    for (let i = 0; i < piece.numPoints; i++) {
      if (!Number.isFinite(piece.values.readDoubleBE(8 * i))) numNonFinite += 1;
      if (countsEpochs(keyOf.get(piece.metricId) ?? "")) continue;
      iterations.add(piece.iterations ? piece.iterations.readInt32BE(4 * i) : piece.firstIteration + i);
    }
  }
  return { numPoints, numNonFinite, iterations: [...iterations].toSorted((a, b) => a - b) };
}

async function readLog(folder: string): Promise<LogFacts | null> {
  const path = join(folder, "events.jsonl");
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (folder === "" || !isThere) return null;
  return await countLog(createInterface({ input: createReadStream(path), crlfDelay: Infinity }));
}
