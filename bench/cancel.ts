/**
 * Measures the orchestrator's rounds while a sweep of waiting runs is cancelled: `node bench/compiled.mjs cancel
 * [RUNS 40000]`. No node is polled during a round, so a long round loses contact.
 */
import { cancel } from "#server/db/fleet/cancellations.ts";
import { makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { insertSweep } from "#server/db/testing/insertRun.ts";
import { tick } from "#server/engine/orchestrator/tick.ts";
import { onThrowawayDatabase, print, readNumbers } from "./throwaway.ts";

const [numRuns = 40_000] = readNumbers([40_000]);
await onThrowawayDatabase({ isDurable: true }, async (database) => {
  const { pool } = database;
  await insertSweep(database, "wide", ["w0"]);
  await pool.query(
    `INSERT INTO run (id, sweep_id, cell_id, seed) SELECT 'w' || i, sweep_id, cell_id, i
     FROM run, generate_series(1, $1::int - 1) AS i WHERE run.id = 'w0'`,
    [numRuns],
  );
  const round = async (): Promise<number> => {
    const startMs = performance.now();
    const clock = { observingSinceMs: 0, log: () => {} };
    const storage = { pool, metricIds: makeMetricIds(pool) };
    await tick({
      storage,
      watches: [],
      evaluator: undefined,
      lastNotes: new Map(),
      busy: new Set(),
      growth: new Map(),
      ...clock,
    });
    return (performance.now() - startMs) / 1000;
  };
  print("a round before", await round(), "s");
  await cancel(database, { kind: "sweep", id: "wide" }, { by: "bench" });
  const rounds: number[] = [];
  const where = { status: { not: "cancelled" } };
  while ((await database.prisma.run.count({ where })) > 0) rounds.push(await round());
  print(`rounds until ${numRuns} waiting runs are cancelled`, rounds.length, "");
  print(
    "all of them",
    rounds.reduce((sum, one) => sum + one, 0),
    "s",
  );
  print("the longest", Math.max(...rounds), "s");
});
