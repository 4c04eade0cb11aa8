/**
 * Milliseconds to answer the stability page's queries, and what the detector costs per point.
 * `node bench/compiled.mjs stability [RUNS 400] [ITERATIONS 2000] [REPLAYED 4]`
 * Synthetic points of finished runs over the published methods, three or more seeds each. REPLAYED of them are really
 * read by the detector; the others get copies of their standing, which is all that the page reads of them.
 */
import { readBuiltTable } from "#server/api/reports/builtTables.ts";
import { readEffects, readFindings } from "#server/api/reports/effects.ts";
import { readEvaluation, readOverview, readReplay } from "#server/api/reports/stability.ts";
import { readSurvival } from "#server/api/reports/survival.ts";
import type { Database } from "#server/db/client.ts";
import { makeMetricIds } from "#server/db/pointWrites.ts";
import { advance, startStanding, toStoredMemory } from "#server/domain/stability/online.ts";
import { generateRun } from "#server/domain/stability/synthetic/generate.ts";
import { replayRun } from "#server/ingest/replayRun.ts";
import { methodNames, methodOf, methods } from "#trainer/spec/method.ts";
import { CellSpec } from "#trainer/spec/run.ts";
import { onThrowawayDatabase, print, readNumbers, type Stopwatch } from "./throwaway.ts";

const [numRuns = 0, numIterations = 0, numReplayed = 0] = readNumbers([400, 2000, 4]);
const sweepIds = ["bench"];
const metric = "evaluation/successRate";
const keys = [
  metric,
  "rollout/successRate",
  "rollout/returnMean",
  "loss/total",
  "update/gradientNorm",
  "policy/klReference",
  "policy/klOld",
  "policy/entropy",
  "rollout/responseTokens",
  "rollout/validActionRate",
];
const started = {
  v: 1,
  seq: 0,
  atMs: 0,
  type: "started",
  specHash: "",
  code: "",
  host: "",
  pid: 1,
  numParameters: 1,
  vocabularySize: 1,
  firstIteration: 1,
};
const largeTable = { metrics: keys.slice(0, 4), interval: "bootstrap", change: "points", average: true } as const;
// Rates stay within (0, 1): what is synthesised is healthy.
const synthesise = `
  INSERT INTO metric_block
    (attempt_id, metric_id, first_seq, last_seq, first_iteration, last_iteration, num_points, values)
  SELECT $1, id, low, high, low, high, high - low + 1, (
    SELECT string_agg(float8send(0.5 + 0.1 * sin(i / 300.0 + id) + 0.05 * random()), '')
    FROM generate_series(low, high) AS i
  )
  FROM unnest($3::int[]) AS id, generate_series(0, $2::int - 1, 240) AS low, least(low + 239, $2 - 1) AS high`;

measureDetector();
await onThrowawayDatabase({ isDurable: false }, async (database, stopwatch) => {
  await load(database);
  const replaying = stopwatch();
  for (let i = 0; i < numReplayed; i++) await replayRun(database.pool, `bench-run${i}`);
  print("replay and look back, one finished run", (replaying().wall * 1000) / numReplayed, "ms");
  await copyStandings(database);
  await database.pool.query("ANALYZE");
  const study = { sweepIds, metric };
  const pages: [string, () => Promise<unknown>][] = [
    ["overview", () => readOverview(database, sweepIds)],
    ["survival by method", () => readSurvival(database, sweepIds, { by: "method", baseline: undefined })],
    ["detectors beside others' rules", () => readEvaluation(database, sweepIds)],
    ["replay of one run", () => readReplay(database, "bench-run0")],
    ["dimensions", () => readEffects(database, study)],
    ["findings", () => readFindings(database, study)],
    ["table builder", () => readBuiltTable(database, { sweepIds, options: {} })],
    ["table builder, four metrics and bootstrap", () => readBuiltTable(database, { sweepIds, options: largeTable })],
  ];
  for (const [title, ask] of pages) await report(title, { stopwatch, ask });
});

async function report(title: string, { stopwatch, ask }: { stopwatch: Stopwatch; ask: () => Promise<unknown> }) {
  const times: number[] = [];
  const all = stopwatch();
  for (let i = 0; i < 5; i++) {
    const one = stopwatch();
    JSON.stringify(await ask());
    times.push(one().wall * 1000);
  }
  const [first = NaN] = times;
  times.sort((a, b) => a - b);
  print(`${title}: first`, first, "ms");
  print(`${title}: median of 5`, times[2] ?? NaN, "ms");
  print(`${title}: CPU time, mean`, (all().cpu * 1000) / 5, "ms");
}

/** One line at a time, as ingest hands them over: reading on, then the memory as it is stored. CPU time, warm. */
function measureDetector(): void {
  const runs = Array.from({ length: 8 }, (_, i) => generateRun("H_grpo", `bench ${i}`).points);
  const read = (withMemory: boolean) => {
    const { user: before } = process.cpuUsage();
    let [numPoints, bytes] = [0, 0];
    for (const points of runs) {
      let standing = startStanding({ training: 40, heldOut: 40 });
      for (const point of points) {
        standing = advance(standing, [point])?.standing ?? standing;
        if (withMemory) bytes = JSON.stringify(toStoredMemory(standing.memory)).length;
      }
      numPoints += points.length;
    }
    return { micros: (process.cpuUsage().user - before) / numPoints, bytes };
  };
  read(false);
  print("detector, per point", read(false).micros, "µs");
  const stored = read(true);
  print("detector and its memory as JSON, per point", stored.micros, "µs");
  print("its memory", stored.bytes / 1024, "KiB");
}

async function load({ pool }: Database): Promise<void> {
  const ids = await makeMetricIds(pool)(keys);
  await pool.query("INSERT INTO sweep (id, name, plan, plan_hash) VALUES ('bench', 'bench', '{}', '')");
  for (const [index, name] of methodNames.entries()) {
    const spec = CellSpec.parse({ environment: { id: "sokoban" }, method: methodOf(name) });
    await pool.query(
      `INSERT INTO cell (sweep_id, "index", method, label, spec, spec_hash) VALUES ('bench', $1, $2, '', $3, '')`,
      [index, methods[name].title, JSON.stringify(spec)],
    );
  }
  await pool.query(
    `INSERT INTO run (id, sweep_id, cell_id, seed, status, started_at, ended_at)
     SELECT 'bench-run' || i, 'bench', cell.id, i, 'finished', now() - interval '1 hour', now()
     FROM generate_series(0, $1::int - 1) AS i JOIN cell ON cell."index" = i % $2::int`,
    [numRuns, methodNames.length],
  );
  const { rows } = await pool.query<{ id: number }>(
    `INSERT INTO attempt (run_id, number, job_id, node, folder, live, num_metric_lines, last_seq, started)
     SELECT id, 1, id || '.1', 'bench', '', false, $1, $1 - 1, $2 FROM run RETURNING id`,
    [numIterations, JSON.stringify(started)],
  );
  for (const { id } of rows) await pool.query(synthesise, [id, numIterations, keys.map((key) => ids.get(key))]);
}

async function copyStandings({ pool }: Database): Promise<void> {
  await pool.query(
    `INSERT INTO detection (run_id, detector_version, attempt_id, memory, status, index, iteration, num_steps, changes,
       keys, hindsight)
     SELECT r.id, d.detector_version, d.attempt_id, d.memory, d.status, d.index, d.iteration, d.num_steps, d.changes,
       d.keys, d.hindsight
     FROM run r JOIN detection d ON d.run_id = 'bench-run' || r.seed % $1::int
     WHERE NOT EXISTS (SELECT FROM detection WHERE run_id = r.id)`,
    [numReplayed],
  );
}
