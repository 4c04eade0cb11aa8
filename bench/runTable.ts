/**
 * The table of runs, as a user waits for it: `node bench/compiled.mjs runTable [RUNS 10000] [METRICS 20] [CELLS 2000]`
 * A window of a hundred rows first, filtered, sorted and grouped, and how fast summaries are made.
 */
import { readRunGroups, readRunTable } from "#server/api/reports/runTable.ts";
import type { Database } from "#server/db/client.ts";
import { makeMetricIds } from "#server/db/pointWrites.ts";
import { summariseRuns } from "#server/db/runSummaries.ts";
import { metrics } from "#trainer/spec/metric.ts";
import { CellSpec } from "#trainer/spec/run.ts";
import { methods, methodNames } from "#trainer/spec/method.ts";
import { onThrowawayDatabase, print, readNumbers, type Stopwatch } from "./throwaway.ts";

const [numRuns = 0, numMetrics = 0, numCells = 0] = readNumbers([10_000, 20, 2000]);
const success = "evaluation/successRate";
const others = Object.keys(metrics).filter((key) => key !== success);
const keys = [success, ...others.slice(0, numMetrics - 1)];
const usual = ["sweep", "environment", "state", "stability", `final.${success}`, `best.${success}`, "duration", "tags"];
const columns = [...usual, "optimizer.learningRate", "created"];
const view = { filter: "", columns, order: [], offset: 0, limit: 100 };
const bySuccess = [{ field: `final.${success}`, isDescending: true }];

await onThrowawayDatabase({ isDurable: true }, async (database, stopwatch) => {
  await load(database);
  const summing = stopwatch();
  while (await summariseRuns(database.pool, 50));
  print("summaries made", numRuns / summing().wall, "runs/s");
  await database.pool.query("ANALYZE");
  const questions: [string, () => Promise<unknown>][] = [
    ["first rows", () => readRunTable(database, view)],
    ["sorted by a metric", () => readRunTable(database, { ...view, order: bySuccess })],
    ["the last window", () => readRunTable(database, { ...view, order: bySuccess, offset: numRuns - 100 })],
    ["filter: method and rate", () => readRunTable(database, { ...view, filter: "method:gspo lr<1e-3" })],
    ["filter: metric, sorted", () => readRunTable(database, { ...view, filter: "success>0.5", order: bySuccess })],
    ["filter: any text", () => readRunTable(database, { ...view, filter: "bench-run77" })],
    ["grouped by method and rate", () => readRunGroups(database, { ...view, groupBy: ["method", "lr"] })],
  ];
  for (const [title, ask] of questions) await report(title, { stopwatch, ask });
});

async function report(title: string, { stopwatch, ask }: { stopwatch: Stopwatch; ask: () => Promise<unknown> }) {
  const all = stopwatch();
  const times: number[] = [];
  for (let i = 0; i < 15; i++) {
    // The stopwatch asks every process of the machine, which costs as much as a small query.
    const startMs = performance.now();
    await ask();
    times.push(performance.now() - startMs);
  }
  const { cpu } = all();
  const [first = NaN] = times;
  times.sort((a, b) => a - b);
  print(`${title}: first`, first, "ms");
  print(`${title}: median of ${times.length}`, times[times.length >> 1] ?? NaN, "ms");
  print(`${title}: CPU time, mean`, (cpu * 1000) / times.length, "ms");
}

/** Finished runs of ten methods at many learning rates, with a curve of forty points a metric, as compaction leaves them. */
async function load({ pool }: Database): Promise<void> {
  const ids = await makeMetricIds(pool)(keys);
  await pool.query("INSERT INTO sweep (id, name, plan, plan_hash) VALUES ('bench', 'Ten thousand', '{}', '')");
  const names = methodNames.slice(0, 10);
  const specs = Array.from({ length: numCells }, (_, i) => {
    const { aggregation, clipping, advantage, sampling } = methods[names[i % names.length] ?? "grpo"];
    const method = { aggregation, clipping, advantage, sampling };
    const optimizer = { learningRate: 1e-5 * (1 + (i % 200)) };
    return CellSpec.parse({ environment: { id: "sokoban" }, method, optimizer });
  });
  await pool.query(
    `INSERT INTO cell (sweep_id, "index", method, label, spec, spec_hash)
     SELECT 'bench', * FROM unnest($1::int[], $2::text[], $3::text[], $4::jsonb[], $5::text[])`,
    [
      specs.map((_, i) => i),
      specs.map((_, i) => methods[names[i % names.length] ?? "grpo"].title),
      specs.map(({ optimizer }) => `learningRate ${optimizer.learningRate}`),
      specs.map((spec) => JSON.stringify(spec)),
      specs.map((_, i) => String(i)),
    ],
  );
  await pool.query(
    `INSERT INTO run (id, sweep_id, cell_id, seed, status, reason, latest_iteration, started_at, ended_at)
     SELECT 'bench-run' || i, 'bench', cell.id, i, 'finished', 'completed', 40, now() - interval '1 hour', now()
     FROM generate_series(0, $1::int - 1) AS i JOIN cell ON cell."index" = i % $2::int`,
    [numRuns, numCells],
  );
  await pool.query(
    `INSERT INTO attempt (run_id, number, job_id, node, folder, live, num_metric_lines, last_seq, started)
     SELECT id, 1, id || '.1', 'bench', '', false, 41, 40, '{"firstIteration": 1}' FROM run`,
  );
  await pool.query(
    `INSERT INTO metric_block
       (attempt_id, metric_id, first_seq, last_seq, first_iteration, last_iteration, num_points, values)
     SELECT attempt.id, metric_id, 0, 40, 0, 40, 41, (
       SELECT string_agg(float8send(((attempt.id * 7 + metric_id + i) % 1000) / 1000.0), '') FROM generate_series(0, 40) AS i
     ) FROM attempt, unnest($1::int[]) AS metric_id`,
    [keys.map((key) => ids.get(key))],
  );
}
