import { afterAll, beforeAll, expect, it } from "vitest";
import { methodOf } from "#trainer/spec/method.ts";
import { CellSpec } from "#trainer/spec/run.ts";
import { makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { insertAttempt, insertSweep } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import type { TableOptions } from "#server/domain/publish/tables/builder/options.ts";
import { readBuiltTable } from "./builtTables.ts";
import { verifyTable } from "../analysis/proofs.ts";
import { readTable } from "./answers.ts";

const success = "evaluation/successRate";
let database: TestDatabase;

beforeAll(async () => {
  database = await makeTestDatabase();
});
afterAll(() => database.close());

/** Stores a block that claims to contain the given number of points, but contains three. */
async function logBlock(runId: string, numPoints = 3, key = success): Promise<void> {
  const attemptId = await insertAttempt(database, runId, 1);
  const ids = await makeMetricIds(database.pool)([key]);
  await database.pool.query(
    `INSERT INTO metric_block (attempt_id, metric_id, first_seq, last_seq, first_iteration, last_iteration, num_points, values)
     SELECT $1, $2, 0, 2, 1, 3, $3, float8send(0.25) || float8send(0.5) || float8send(0.75)`,
    [attemptId, ids.get(key), numPoints],
  );
  await database.prisma.attempt.update({ where: { id: attemptId }, data: { numMetricLines: 3, lastSeq: 2 } });
  await setStatus(runId, "finished");
}

function setStatus(id: string, status: "failed" | "finished") {
  return database.prisma.run.update({ where: { id }, data: { status } });
}

it("proves nothing while a run that would take a failed one's place has yet to end", async () => {
  await insertSweep(database, "first", ["a0", "a1"]);
  await insertSweep(database, "again", ["b0"]);
  await logBlock("a1");
  await setStatus("a0", "failed");
  const sweepIds = ["first", "again"];
  const before = await readBuiltTable(database, { sweepIds, options: {} });
  // The failed run counts as long as there is no finished run.
  expect(before.table.rows[0]?.runIds).toEqual(["a0", "a1"]);
  expect([before.numOpen, before.table.provenance.proof]).toEqual([1, undefined]);
  await logBlock("b0");
  const after = await readBuiltTable(database, { sweepIds, options: {} });
  expect(after.table.rows[0]?.runIds).toEqual(["b0", "a1"]);
  expect([after.numOpen, after.table.provenance.proof]).toEqual([0, expect.stringMatching(/^[0-9a-f]{32}$/)]);
});

it("proves rows whose runs are over, whatever goes on in those left out", async () => {
  await insertSweep(database, "shown", ["c0"]);
  await insertSweep(database, "open", ["d0"]);
  await logBlock("c0");
  const spec = CellSpec.parse({ environment: { id: "sokoban" }, method: methodOf("sampo") });
  await database.prisma.cell.updateMany({ where: { sweepId: "open" }, data: { spec, method: "Other" } });
  const sweepIds = ["shown", "open"];
  const all = await readBuiltTable(database, { sweepIds, options: {} });
  expect([all.numOpen, all.table.provenance.proof]).toEqual([1, undefined]);
  const some = await readBuiltTable(database, { sweepIds, options: { without: ["Other"] } });
  expect([some.numOpen, some.table.provenance.proof]).toEqual([0, expect.any(String)]);
});

it("opens on success in training where nothing else was logged, and proves it as what it is", async () => {
  await insertSweep(database, "trained", ["t0"]);
  await logBlock("t0", 3, "rollout/successRate");
  const ask = (options: TableOptions) => readBuiltTable(database, { sweepIds: ["trained"], options });
  const { table, metrics } = await ask({});
  expect(metrics).toEqual(["rollout/successRate"]);
  expect(table.rows[0]?.cells).toContainEqual(expect.objectContaining({ kind: "estimate", n: 1 }));
  expect(table.provenance.proof).toBe((await ask({ metrics })).table.provenance.proof);
  expect((await ask({ metrics: [success] })).metrics).toEqual([success]);
  const hash = table.provenance.proof ?? "";
  const verdict = await verifyTable(database, hash, (query, code) => readTable(database, query, code));
  expect(verdict).toMatchObject({ isSame: true, query: { options: { metrics: ["rollout/successRate"] } } });
});

it("refuses more points than it can answer in time, by their number and the limit", async () => {
  await insertSweep(database, "large", ["e0"]);
  await logBlock("e0", 16_000_001);
  const ask = () => readBuiltTable(database, { sweepIds: ["large"], options: {} });
  expect((await ask()).table.rows).toHaveLength(1);
  await database.prisma.attempt.updateMany({ where: { runId: "e0" }, data: { numMetricLines: 16_000_001 } });
  const many =
    "these metrics have 16,000,001 points in these sweeps, but the limit is 16,000,000: choose fewer metrics or sweeps";
  await expect(ask()).rejects.toThrow(many);
  const query = { sweepIds: ["large"], metric: success };
  await expect(readTable(database, { kind: "final", ...query })).rejects.toThrow(many);
  await expect(readTable(database, { kind: "stability", ...query })).rejects.toThrow(many);
  await database.prisma.$executeRaw`UPDATE metric_block SET num_points = 3 WHERE num_points > 16000000`;
  expect((await ask()).table.rows).toHaveLength(1);
});
