import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readIntegrity } from "./integrity.ts";
import { inTransaction } from "../storage/inTransaction.ts";
import { appendPoints, compactPoints, makeMetricIds } from "./pointWrites.ts";
import { insertAttempt, insertRun } from "../testing/insertRun.ts";
import { makeTestDatabase } from "../testing/testDatabase.ts";

const database = await makeTestDatabase();
const { pool } = database;
const metricIds = makeMetricIds(pool);
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "arlarena-integrity-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await database.close();
});

it("reads hot rows and blocks, what was superseded and not finite, and counts the log anew", async () => {
  const first = await insertRun(database, "crashed");
  await write(first, { from: 0, to: 212 });
  await compactPoints(pool, first, { isOver: true });
  await pool.query("UPDATE attempt SET live = false, num_metric_lines = 213 WHERE id = $1", [first]);
  const second = await insertAttempt(database, "crashed", 2);
  await write(second, { from: 201, to: 260 });
  const lines = range(201, 259).map((iteration, seq) => lineOf(seq, iteration));
  await writeFile(join(folder, "events.jsonl"), `${lines.join("\n")}\n{"torn`);
  await pool.query(
    `UPDATE attempt SET live = false, folder = $2, num_metric_lines = 60, started = '{"firstIteration": 201}',
       done = '{"numMetricLines": 60}' WHERE id = $1`,
    [second, folder],
  );
  const report = await readIntegrity(database, "crashed");
  expect(report.iterations).toMatchObject({ stored: 260, superseded: 12, gaps: [] });
  expect(report.points).toEqual({ stored: 546, superseded: 24, nonFinite: 1 });
  expect(
    report.attempts.map(({ numPoints, numSuperseded, log }) => [numPoints, numSuperseded, log?.numPoints]),
  ).toEqual([
    [426, 12, undefined],
    [120, 0, 118],
  ]);
  expect(report.problems, "the log is the truth").toEqual([
    "attempt 2: 120 points are stored, but the event log has 118",
  ]);
});

it("expects of a branch the iterations after its origin's", async () => {
  const attemptId = await insertRun(database, "branch");
  await write(attemptId, { from: 13, to: 40 });
  await pool.query(
    `UPDATE attempt SET live = false, num_metric_lines = 28, done = '{"numMetricLines": 28}' WHERE id = $1`,
    [attemptId],
  );
  await pool.query("UPDATE run SET status = 'finished' WHERE id = 'branch'");
  const become = (initialisation: object) =>
    pool.query(
      `UPDATE cell SET spec = spec || jsonb_build_object('budget', '{"iterations": 40}'::jsonb, 'initialisation', $1::jsonb)
       WHERE id = (SELECT cell_id FROM run WHERE id = 'branch')`,
      [JSON.stringify(initialisation)],
    );
  await become({ kind: "branch", run: "crashed", iteration: 12 });
  expect(await readIntegrity(database, "branch")).toMatchObject({
    verdict: "whole",
    iterations: { expected: 28, stored: 28, gaps: [] },
  });
  await become({ kind: "branch", run: "crashed", iteration: 10 });
  expect((await readIntegrity(database, "branch")).problems).toEqual(["iterations 11 to 12 are missing"]);
  // A run that only starts with a policy trains its whole budget.
  await become({ kind: "run", run: "crashed", iteration: 12 });
  expect((await readIntegrity(database, "branch")).problems).toEqual(["iterations 1 to 12 are missing"]);
});

it("says so when there is no such run", async () => {
  await expect(readIntegrity(database, "nobody")).rejects.toThrow("there is no run nobody");
});

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

function lineOf(seq: number, iteration: number): string {
  const values = { "policy/kl": 0.1, "policy/entropy": 1 };
  return JSON.stringify({ v: 1, seq, atMs: 0, type: "metrics", iteration, optimizerStep: 0, values });
}

async function write(attemptId: number, { from, to }: { from: number; to: number }): Promise<void> {
  const ids = [...(await metricIds(["policy/kl", "policy/entropy"])).values()];
  const lines = range(from, to).map((iteration, seq) => {
    const values = [iteration === 100 ? NaN : 0.1, 1];
    return { attemptId, seq, iteration, optimizerStep: 0, atMs: 0, metricIds: ids, values };
  });
  await inTransaction(pool, async (client) => {
    await appendPoints(client, lines);
    return true;
  });
}
