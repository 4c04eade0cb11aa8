import { Pool, type PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { appendBlocks } from "../runs/blockWrites.ts";
import { readUses } from "../fleet/costs.ts";
import { countPoints, readKeys, readSeries, readSeriesSince } from "../runs/points.ts";
import { inTransaction } from "./inTransaction.ts";
import { readIntegrity } from "../runs/integrity.ts";
import { appendPoints, compactPoints, makeMetricIds, type PointLine } from "../runs/pointWrites.ts";
import { summariseRuns } from "../runs/runSummaries.ts";
import { readUncompacted } from "../fleet/attempts.ts";
import { deleteRuns } from "../runs/table/deleteRuns.ts";
import { makeQuery, valueAtSql } from "../runs/table/query.ts";
import { insertRun } from "../testing/insertRun.ts";
import { makeTestDatabase, type TestDatabase } from "../testing/testDatabase.ts";
import { readNewestPoints, readPointsOf } from "../trainers/trackedPoints.ts";

const numMetrics = 500;
const numLines = 40;
const keys = Array.from({ length: numMetrics }, (_, i) => `task/${i}/acc`);

/** Maximum number of table rows that a plan node may read: a multiple of the run's points, far below their square. */
const maxRows = 8 * numMetrics * numLines;

// Query plans must not depend on table statistics. An ANALYZE at one row once made compaction join 90,000 points in a
// nested loop for half an hour. auto_explain returns the executed plans.
describe.each([
  { rows: 0, analysedAt: "never" },
  { rows: 1, analysedAt: "1 row" },
  { rows: 1e6, analysedAt: "1 row" },
  { rows: 1e6, analysedAt: "1,000,000 rows" },
])("points among $rows other rows, analysed at $analysedAt", ({ rows, analysedAt }) => {
  let database: TestDatabase;
  let pool: Pool;
  const plans: Plan[] = [];
  const attempts: number[] = [];

  beforeAll(async () => {
    database = await makeTestDatabase();
    if (rows > 0) await insertRows(database.pool, { from: 0, to: 1 });
    if (analysedAt === "1 row") await database.pool.query("ANALYZE");
    if (rows > 1) await insertRows(database.pool, { from: 1, to: rows });
    for (const id of ["live", "over", "blocks"]) attempts.push(await insertRun(database, id));
    await database.pool.query("UPDATE run SET status = 'finished' WHERE id <> 'live'");
    await database.pool.query("UPDATE attempt SET live = false WHERE run_id <> 'live'");
    if (analysedAt === "1,000,000 rows") await database.pool.query("ANALYZE");
    pool = makeExplainingPool(database.url, plans);
  });
  afterAll(async () => {
    await pool.end();
    await database.close();
  });

  /** Runs work and fails with the name of any plan node that read too many table rows. */
  const explain = async (work: () => Promise<unknown>) => {
    plans.length = 0;
    await work();
    expect(plans.length, "no plan was reported").toBeGreaterThan(0);
    expect(plans.flatMap(listSteps).filter((step) => step.rows > maxRows)).toEqual([]);
  };

  it("are written, compacted, read, counted and deleted by work in proportion to the run", async () => {
    const ids = await makeMetricIds(pool)(keys);
    const metricIds = keys.map((key) => ids.get(key) ?? 0);
    const linesOf = (attemptId: number) =>
      Array.from({ length: numLines }, (_, seq) => makeLine(attemptId, seq, metricIds));
    const [live = 0, over = 0, blocks = 0] = attempts;
    await explain(() => inTransaction(pool, (client) => appendPoints(client, [...linesOf(live), ...linesOf(over)])));
    await explain(() =>
      inTransaction(pool, (client) => appendBlocks(client, { attemptId: blocks, hasTimes: false }, linesOf(blocks))),
    );
    await pool.query("UPDATE attempt SET num_metric_lines = $1, last_seq = $1 - 1", [numLines]);
    await explain(() => compactPoints(pool, live, { isOver: false }));
    await explain(() => compactPoints(pool, over, { isOver: true }));

    const runIds = ["live", "over", "blocks"];
    await explain(() => readSeries(pool, { runIds, keys }));
    await explain(() =>
      readSeriesSince(pool, { runIds, keys, cursor: { [live]: numLines / 2, [over]: -1, [blocks]: -1 } }),
    );
    await explain(() => readKeys(pool, runIds));
    await explain(() => countPoints(pool, { runIds, keys }, 0));
    await explain(() => readNewestPoints(pool, attempts));
    await explain(() => readPointsOf(pool, live, keys[0] ?? ""));
    await explain(() => readUncompacted({ ...database, pool }));
    await explain(() => readUses(pool, new Date(0)));
    await explain(() => Promise.all(runIds.map((id) => readIntegrity({ pool }, id))));
    await explain(() => readValuesAt(pool, runIds));
    await explain(() => summariseRuns(pool, 50));
    await explain(() => deleteRuns(pool, ["over", "blocks"]));
  });
});

function makeLine(attemptId: number, seq: number, metricIds: readonly number[]): PointLine {
  const values = metricIds.map((id) => id + seq / 100);
  return { attemptId, seq, iteration: seq + 1, optimizerStep: seq, atMs: 1.7e12 + seq, metricIds, values };
}

/** Inserts single metric rows and blocks, a thousand of each per attempt. */
async function insertRows(pool: Pool, { from, to }: { from: number; to: number }): Promise<void> {
  await pool.query(
    `INSERT INTO metric_row (attempt_id, seq, iteration, optimizer_step, at_ms, metric_ids, values)
     SELECT 100000 + i / 1000, i % 1000, i % 1000, 0, 0, '{1}', '{0.5}' FROM generate_series($1::int, $2::int - 1) AS i`,
    [from, to],
  );
  await pool.query(
    `INSERT INTO metric_block (attempt_id, metric_id, first_seq, last_seq, first_iteration, last_iteration, num_points, values)
     SELECT 100000 + i / 1000, 1 + i % 1000, 0, 0, 1, 1, 1, float8send(0.5) FROM generate_series($1::int, $2::int - 1) AS i`,
    [from, to],
  );
}

async function readValuesAt(pool: Pool, runIds: readonly string[]): Promise<void> {
  const query = makeQuery();
  const value = valueAtSql({ metric: keys[7] ?? "", iteration: 5 }, query.param);
  await pool.query(`SELECT ${value} FROM run r WHERE r.id = ANY(${query.param(runIds)})`, [...query.values()]);
}

type Plan = { text: string; plan: Step };
type Step = z.infer<typeof Node> & { Plans?: Step[] | undefined };
const Node = z.object({
  "Node Type": z.string(),
  "Relation Name": z.string().optional(),
  "Actual Rows": z.number().default(0),
  "Actual Loops": z.number().default(0),
  "Rows Removed by Filter": z.number().default(0),
  "Rows Removed by Join Filter": z.number().default(0),
});
const Step: z.ZodType<Step> = Node.extend({ Plans: z.lazy(() => z.array(Step)).optional() });
const Explained = z.object({ "Query Text": z.string(), Plan: Step });

function makeExplainingPool(connectionString: string, plans: Plan[]): Pool {
  const settings = ["log_min_duration=0", "log_format=json", "log_level=notice", "log_analyze=on", "log_timing=off"];
  const options = ["session_preload_libraries=auto_explain", ...settings.map((one) => `auto_explain.${one}`)];
  const pool = new Pool({ connectionString, options: options.map((one) => `-c ${one}`).join(" ") });
  // A closing connection may report that its database was dropped. Without a listener, this would end the tests.
  pool.on("error", () => undefined);
  pool.on("connect", (client: PoolClient) => {
    client.on("notice", ({ message = "" }) => {
      if (!message.includes("plan:")) return;
      const { "Query Text": text, Plan: plan } = Explained.parse(JSON.parse(message.slice(message.indexOf("{"))));
      plans.push({ text, plan });
    });
  });
  return pool;
}

function listSteps({ text, plan }: Plan): { step: string; rows: number; text: string }[] {
  const seen = plan["Actual Rows"] + plan["Rows Removed by Filter"] + plan["Rows Removed by Join Filter"];
  const step = [plan["Node Type"], plan["Relation Name"]].filter(Boolean).join(" ");
  const below = (plan.Plans ?? []).flatMap((one) => listSteps({ text, plan: one }));
  return [{ step, rows: Math.round(seen * plan["Actual Loops"]), text: text.slice(0, 200) }, ...below];
}
