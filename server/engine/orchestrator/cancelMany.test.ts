import { afterAll, expect, it } from "vitest";
import { cancel } from "#server/db/fleet/cancellations.ts";
import { retryRuns } from "#server/db/plan/sweeps.ts";
import { insertSweep } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { tick } from "./tick.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());

const numRuns = 2500;
const { pool } = database;
const round = () =>
  tick({
    storage: { pool, metricIds: makeMetricIds(pool) },
    watches: [],
    evaluator: undefined,
    lastNotes: new Map(),
    busy: new Set(),
    growth: new Map(),
    observingSinceMs: 0,
    log: () => {},
  });

it(
  "cancels and retries thousands of waiting runs with few statements, and notes each run's change",
  { tags: "soak" },
  async () => {
    await insertSweep(database, "wide", ["w0"]);
    await pool.query(
      `INSERT INTO run (id, sweep_id, cell_id, seed) SELECT 'w' || i, sweep_id, cell_id, i
     FROM run, generate_series(1, $1::int - 1) AS i WHERE run.id = 'w0'`,
      [numRuns],
    );
    await cancel(database, { kind: "sweep", id: "wide" }, { by: "Ada" });
    let numConnections = 0;
    const count = () => void (numConnections += 1);
    pool.on("acquire", count);
    await round();
    pool.off("acquire", count);
    // One for each statement or transaction of the round.
    expect(numConnections).toBeLessThan(40);
    const ended = { status: "cancelled", reason: "cancelled_by_user", endedAt: { not: null } };
    expect(await database.prisma.run.count({ where: ended })).toBe(numRuns);
    const noted = {
      status: "cancelled",
      reason: "cancelled_by_user",
      text: "cancelled by Ada",
      source: "orchestrator",
    };
    expect(await database.prisma.statusEvent.count({ where: noted })).toBe(numRuns);
    expect(await retryRuns(database, "wide")).toBe(numRuns);
    const again = { status: "pending", intent: "run", maxAttempts: 1, endedAt: null, cancelledBy: null };
    expect(await database.prisma.run.count({ where: again })).toBe(numRuns);
  },
);
