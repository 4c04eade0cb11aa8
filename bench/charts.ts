/**
 * Measures the milliseconds to answer the sweep page's chart query: one metric of all runs, grouped by method,
 * reduced to a chart's resolution, as JSON. `node bench/compiled.mjs charts [RUNS 400] [ITERATIONS 2000] [METRICS 40]
 * [METHODS 10]` The points of finished runs are synthetic, written to PostgreSQL as compacted blocks.
 */
import { readCharts } from "#server/api/runs/charts.ts";
import type { ChartOptions } from "#server/domain/runs/series/makeCharts.ts";
import type { Database } from "#server/db/storage/client.ts";
import { makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { readSeries } from "#server/db/runs/points.ts";
import { metrics } from "#trainer/spec/metric.ts";
import { measureBytesPerPoint, onThrowawayDatabase, print, readNumbers, type Stopwatch } from "./throwaway.ts";

const [numRuns = 0, numIterations = 0, numMetrics = 0, numMethods = 0] = readNumbers([400, 2000, 40, 10]);
// SQL that synthesises noise around a mean per metric, with one NaN in a thousand values, in the layout of compacted
// blocks.
const synthesise = `
  INSERT INTO metric_block
    (attempt_id, metric_id, first_seq, last_seq, first_iteration, last_iteration, num_points, values)
  SELECT $1, id, low, high, low, high, high - low + 1, (
    SELECT string_agg(float8send(CASE WHEN random() < 0.001 THEN 'NaN' ELSE sin(i / 100.0 + id) + random() END), '')
    FROM generate_series(low, high) AS i
  )
  FROM unnest($3::int[]) AS id, generate_series(0, $2::int - 1, 240) AS low, least(low + 239, $2 - 1) AS high`;

const keys = Array.from({ length: numMetrics }, (_, i) => Object.keys(metrics)[i] ?? `bench/metric${i}`);

await onThrowawayDatabase({ isDurable: false }, async (database, stopwatch) => {
  const loading = stopwatch();
  await load(database);
  const numPoints = numRuns * numIterations * numMetrics;
  print("points", numPoints, "");
  print("loaded in", loading().wall, "s");
  print("stored", (await measureBytesPerPoint(database)).perPoint, "B/point");
  await database.pool.query("ANALYZE");

  const options: ChartOptions = { aggregate: "std", seeds: false, maxPoints: 800, range: null };
  const runIds = Array.from({ length: numRuns }, (_, i) => `bench-run${i}`);
  const key = (i: number) => keys[i % keys.length] ?? "";
  await report("series of one metric, all runs (reading alone)", {
    stopwatch,
    ask: (i) => readSeries(database.pool, { runIds, keys: [key(i)] }),
  });
  const query = (i: number) => readCharts(database, { scope: { sweepIds: ["bench"] }, keys: [key(i)], options });
  await report("chart query of the sweep page", { stopwatch, ask: async (i) => JSON.stringify(await query(i)) });
  print("its answer", JSON.stringify(await query(0)).length / 1024, "KiB");
  const withSeeds = (i: number) =>
    readCharts(database, { scope: { sweepIds: ["bench"] }, keys: [key(i)], options: { ...options, seeds: true } });
  await report("with a line per run", { stopwatch, ask: async (i) => JSON.stringify(await withSeeds(i)) });
});

type Measured = { stopwatch: Stopwatch; ask: (i: number) => Promise<unknown> };

/**
 * Measures and prints the times of a query (`ask`), for a different metric each time, as on a page with many charts.
 */
async function report(title: string, { stopwatch, ask }: Measured): Promise<void> {
  const all = stopwatch();
  const times: number[] = [];
  for (let i = 0; i < 30; i++) {
    // `performance.now` is used, because the stopwatch inspects every process of the machine, which costs as much as a
    // small query.
    const startMs = performance.now();
    await ask(i);
    times.push(performance.now() - startMs);
  }
  const { cpu } = all();
  const [first = NaN] = times;
  times.sort((a, b) => a - b);
  print(`${title}: first`, first, "ms");
  print(`${title}: median of ${times.length}`, times[times.length >> 1] ?? NaN, "ms");
  print(`${title}: CPU time, mean`, (cpu * 1000) / times.length, "ms");
}

async function load({ pool }: Database): Promise<void> {
  const ids = await makeMetricIds(pool)(keys);
  const metricIds = keys.map((key) => ids.get(key));
  await pool.query("INSERT INTO sweep (id, name, plan, plan_hash) VALUES ('bench', 'bench', '{}', '')");
  await pool.query(
    `INSERT INTO cell (sweep_id, "index", method, label, spec, spec_hash)
     SELECT 'bench', i, 'method ' || i, '', '{"environment": {"id": "sokoban"}, "budget": {"iterations": 1}}', ''
     FROM generate_series(0, $1::int - 1) AS i`,
    [numMethods],
  );
  await pool.query(
    `INSERT INTO run (id, sweep_id, cell_id, seed, status)
     SELECT 'bench-run' || i, 'bench', cell.id, i, 'finished'
     FROM generate_series(0, $1::int - 1) AS i JOIN cell ON cell."index" = i % $2::int`,
    [numRuns, numMethods],
  );
  const { rows } = await pool.query<{ id: number }>(
    `INSERT INTO attempt (run_id, number, job_id, node, folder, live, num_metric_lines, last_seq, started)
     SELECT id, 1, id || '.1', 'bench', '', false, $1, $1 - 1, '{"firstIteration": 1}' FROM run RETURNING id`,
    [numIterations],
  );
  const attemptIds = rows.map(({ id }) => id);
  const loadNext = async (): Promise<void> => {
    for (let id = attemptIds.pop(); id !== undefined; id = attemptIds.pop()) {
      await pool.query(synthesise, [id, numIterations, metricIds]);
    }
  };
  await Promise.all([loadNext(), loadNext()]);
}
