import type { Database } from "#server/db/storage/client.ts";
import { makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { summariseRuns } from "#server/db/runs/runSummaries.ts";
import { createSweep } from "#server/db/plan/sweeps.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand.ts";
import { SweepPlan } from "#server/domain/plan/sweep/plan.ts";
import { replayWaiting } from "#server/engine/ingest/replayRun.ts";
import { methodNames } from "#trainer/spec/method.ts";

export const analysedMetric = "evaluation/successRate";
const keys = [
  analysedMetric,
  "rollout/successRate",
  "rollout/returnMean",
  "update/gradientNorm",
  "policy/klReference",
  "policy/klOld",
  "policy/entropy",
  "rollout/responseTokens",
  "rollout/validActionRate",
  "loss/total",
];

/** Learning rates, environments and seeds per method, by number of runs. */
const designs: Readonly<Record<number, { numRates: number; environments: string[]; numSeeds: number }>> = {
  90: { numRates: 3, environments: ["sokoban"], numSeeds: 3 },
  400: { numRates: 4, environments: ["sokoban", "webshop"], numSeeds: 5 },
  2000: { numRates: 10, environments: ["sokoban", "webshop"], numSeeds: 10 },
};

/** Finished runs of ten methods, a fifth of them collapsed, judged and summarised as in the orchestrator. */
export async function fillAnalysed(database: Database, numRuns: number, numIterations: number): Promise<string> {
  const design = designs[numRuns];
  if (!design) throw new Error(`no design of ${numRuns} runs; there are ${Object.keys(designs).join(", ")}`);
  const plan = SweepPlan.parse({
    name: `${numRuns} runs`,
    environments: design.environments.map((id) => ({ id })),
    methods: methodNames.slice(0, 10),
    axes: { "optimizer.learningRate": Array.from({ length: design.numRates }, (_, i) => 1e-4 * (i + 1)) },
    seeds: Array.from({ length: design.numSeeds }, (_, seed) => seed),
  });
  const sweepId = await createSweep(database, { plan, expansion: expandPlan(plan) });
  await insertCurves(database, sweepId, numIterations);
  await database.pool.query("ANALYZE");
  while (await replayWaiting(database.pool, 200));
  while (await summariseRuns(database.pool, 200));
  return sweepId;
}

async function insertCurves({ pool }: Database, sweepId: string, numIterations: number): Promise<void> {
  const ids = await makeMetricIds(pool)(keys);
  const program = { specHash: "", code: "", host: "bench", pid: 1, numParameters: 1, vocabularySize: 1 };
  const started = { v: 1, seq: 0, atMs: 0, type: "started", ...program, firstIteration: 1 };
  await pool.query(
    `UPDATE run SET status = 'finished', reason = 'completed', latest_iteration = $2::int - 1,
       started_at = now() - interval '1 hour', ended_at = now() WHERE sweep_id = $1`,
    [sweepId, numIterations],
  );
  await pool.query(
    `INSERT INTO attempt (run_id, number, job_id, node, folder, live, num_metric_lines, last_seq, started)
     SELECT id, 1, id || '.1', 'bench', '', false, $2, $2 - 1, $3 FROM run WHERE sweep_id = $1`,
    [sweepId, numIterations, JSON.stringify(started)],
  );
  // Rising rates; in every fifth run they fall permanently at a random time.
  await pool.query(
    `INSERT INTO metric_block
       (attempt_id, metric_id, first_seq, last_seq, first_iteration, last_iteration, num_points, values)
     SELECT attempt.id, metric_id, low, high, low, high, high - low + 1, (
       SELECT string_agg(float8send(
         (0.7 - 0.4 * exp(-3.0 * i / $3::float8) + 0.02 * sin(i * (0.7 + metric_id * 0.01) + attempt.id))
         * CASE WHEN attempt.id % 5 = 0 AND i > $3 * (0.5 + (attempt.id % 37) / 100.0) THEN 0.02 ELSE 1 END
       ), '') FROM generate_series(low, high) AS i
     )
     FROM attempt JOIN run ON run.id = attempt.run_id AND run.sweep_id = $1, unnest($2::int[]) AS metric_id,
       generate_series(0, $3::int - 1, 240) AS start, LATERAL (SELECT start AS low, least(start + 239, $3 - 1) AS high) AS span`,
    [sweepId, keys.map((key) => ids.get(key)), numIterations],
  );
}
