import type { Database } from "#server/db/storage/client.ts";
import { makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import { CellSpec } from "#trainer/spec/run.ts";
import { methods, methodNames } from "#trainer/spec/method.ts";

export type Synthetic = {
  sweepId: string;
  numRuns: number;
  numCells: number;
  keys: readonly string[];
  /** Number of points of each metric. */
  numPoints: number;
};

const program = { specHash: "", code: "", host: "bench", pid: 1, numParameters: 1, vocabularySize: 1 };
const started = { v: 1, seq: 0, atMs: 0, type: "started", ...program, firstIteration: 1 };

/** Finished runs of ten methods at many learning rates, with compacted points; the same at each call. */
export async function fillRuns({ pool }: Database, { sweepId, numRuns, numCells, keys, numPoints }: Synthetic) {
  const ids = await makeMetricIds(pool)(keys);
  const name = `${numRuns} runs`;
  const plan = SweepPlan.parse({
    name,
    environments: [{ id: "sokoban" }],
    methods: methodNames.slice(0, 10),
    seeds: [0],
  });
  await pool.query("INSERT INTO sweep (id, name, plan, plan_hash) VALUES ($1, $2, $3, '')", [
    sweepId,
    name,
    JSON.stringify(plan),
  ]);
  await pool.query(
    `INSERT INTO cell (sweep_id, "index", method, label, spec, spec_hash)
     SELECT $6, * FROM unnest($1::int[], $2::text[], $3::text[], $4::jsonb[], $5::text[])`,
    [...columnsOfCells(numCells), sweepId],
  );
  await pool.query(
    `INSERT INTO run (id, sweep_id, cell_id, seed, status, reason, latest_iteration, started_at, ended_at)
     SELECT $3 || '-run' || i, $3, cell.id, i / $2::int, 'finished', 'completed', $4::int - 1, now() - interval '1 hour', now()
     FROM generate_series(0, $1::int - 1) AS i JOIN cell ON cell.sweep_id = $3 AND cell."index" = i % $2::int`,
    [numRuns, numCells, sweepId, numPoints],
  );
  await pool.query(
    `INSERT INTO attempt (run_id, number, job_id, node, folder, live, num_metric_lines, last_seq, started)
     SELECT id, 1, id || '.1', 'bench', '', false, $2, $2 - 1, $3 FROM run WHERE sweep_id = $1`,
    [sweepId, numPoints, JSON.stringify(started)],
  );
  // Curves with a slope per run and an oscillation per metric.
  await pool.query(
    `INSERT INTO metric_block
       (attempt_id, metric_id, first_seq, last_seq, first_iteration, last_iteration, num_points, values)
     SELECT attempt.id, metric_id, low, high, low, high, high - low + 1, (
       SELECT string_agg(float8send(
         0.9 - 0.7 * exp(-i * (1 + attempt.id % 7) / $3::float8) + 0.05 * sin(i * (0.1 + metric_id * 0.01) + attempt.id)
       ), '') FROM generate_series(low, high) AS i
     )
     FROM attempt JOIN run ON run.id = attempt.run_id AND run.sweep_id = $1, unnest($2::int[]) AS metric_id,
       generate_series(0, $3::int - 1, 240) AS start, LATERAL (SELECT start AS low, least(start + 239, $3 - 1) AS high) AS span`,
    [sweepId, keys.map((key) => ids.get(key)), numPoints],
  );
}

function columnsOfCells(numCells: number) {
  const names = methodNames.slice(0, 10);
  const specs = Array.from({ length: numCells }, (_, i) => {
    const { aggregation, clipping, advantage, sampling } = methods[names[i % names.length] ?? "grpo"];
    const method = { aggregation, clipping, advantage, sampling };
    const optimizer = { learningRate: 1e-5 * (1 + (i % 200)) };
    return CellSpec.parse({ environment: { id: "sokoban" }, method, optimizer });
  });
  return [
    specs.map((_, i) => i),
    specs.map((_, i) => methods[names[i % names.length] ?? "grpo"].title),
    specs.map(({ optimizer }) => `learningRate ${optimizer.learningRate}`),
    specs.map((spec) => JSON.stringify(spec)),
    specs.map((_, i) => String(i)),
  ];
}
