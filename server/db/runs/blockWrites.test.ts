import { afterAll, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { appendBlocks } from "./blockWrites.ts";
import { inTransaction } from "../storage/inTransaction.ts";
import { appendPoints, compactPoints, makeMetricIds, type PointLine } from "./pointWrites.ts";
import { insertRun } from "../testing/insertRun.ts";
import { makeTestDatabase } from "../testing/testDatabase.ts";

const database = await makeTestDatabase();
const { pool } = database;
afterAll(() => database.close());

const keys = ["loss/total", "update/gradientNorm", "evaluation/successRate", "policy/klOld"];
const ids = await makeMetricIds(pool)(keys);
const odd = [NaN, Infinity, -Infinity, -0, 5e-324, Number.MAX_VALUE];

it.each([false, true])("makes the blocks that compaction makes of hot rows; times are kept: %s", async (hasTimes) => {
  const rng = split(Number(hasTimes), "blocks");
  const lines = Array.from({ length: 700 }, (_, i): Omit<PointLine, "attemptId"> => {
    const here = keys.filter((_, k) => (k === 2 ? i % 10 === 0 : k !== 3 || rng.next() < 0.5));
    return {
      seq: i + 3,
      // The metrics of one iteration arrive late, and the iterations skip five numbers at one point.
      iteration: i === 400 ? 390 : i < 600 ? i : i + 5,
      optimizerStep: 4 * i,
      atMs: 1.7e12 + i + 0.25,
      metricIds: here.map((key) => ids.get(key) ?? 0),
      values: here.map(() => (rng.next() < 0.05 ? (odd[rng.int(odd.length)] ?? 0) : rng.normal())),
    };
  });
  const write = async (name: string, how: "rows" | "blocks") => {
    const attemptId = await insertRun(database, `${name} ${hasTimes}`);
    if (hasTimes) await pool.query("UPDATE attempt SET node = 'tracking' WHERE id = $1", [attemptId]);
    const owned = lines.map((line) => ({ ...line, attemptId }));
    await inTransaction(pool, (client) =>
      how === "rows" ? appendPoints(client, owned) : appendBlocks(client, { attemptId, hasTimes }, owned),
    );
    await compactPoints(pool, attemptId, { isOver: true });
    const { rows } = await pool.query<object>(
      `SELECT metric_id, first_seq, last_seq, first_iteration, last_iteration, num_points, encode(iterations, 'hex') AS i,
         encode(values, 'hex') AS v, encode(times, 'hex') AS t
       FROM metric_block WHERE attempt_id = $1 ORDER BY metric_id, first_seq`,
      [attemptId],
    );
    return rows;
  };
  const blocks = await write("straight", "blocks");
  expect(blocks.length).toBeGreaterThan(8);
  expect(blocks).toEqual(await write("compacted", "rows"));
});

it("refuses what the columns of a hot row refuse", async () => {
  const attemptId = await insertRun(database, "too large");
  const line = { attemptId, seq: 0, iteration: 0, optimizerStep: 0, atMs: 0, metricIds: [1], values: [0] };
  const lines = [line, { ...line, seq: 1, iteration: 1 }, { ...line, seq: 2, iteration: 2 }];
  for (const field of ["seq", "iteration", "optimizerStep"] as const) {
    const large = lines.map((one, i) => (i === 2 ? { ...one, [field]: 2 ** 31 } : one));
    const write = inTransaction(pool, (client) => appendBlocks(client, { attemptId, hasTimes: false }, large));
    await expect(write, field).rejects.toMatchObject({ code: "22003" });
  }
});
