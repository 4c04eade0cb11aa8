import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { appendPoints, compactPoints, makeMetricIds } from "./pointWrites.ts";
import { inTransaction } from "../storage/inTransaction.ts";
import { readKeys, readSeries, readSeriesSince } from "./points.ts";
import { insertAttempt, insertRun } from "../testing/insertRun.ts";
import { makeTestDatabase } from "../testing/testDatabase.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());
const { pool } = database;
const metricIds = makeMetricIds(pool);
let numRuns = 0;
let runId = "";
let attemptId = 0;

beforeEach(async () => {
  runId = `run${++numRuns}`;
  attemptId = await insertRun(database, runId);
});

describe("points", () => {
  it("come back the same from hot rows, from blocks, and from both", async () => {
    const everyFifth = (i: number) => (i % 5 === 0 ? { sparse: 2 * i } : {});
    const valueOf = (i: number) => [NaN, Infinity, -Infinity, 0.1, 1e-300, 2.5][i % 6] ?? 0;
    await write(attemptId, 0, 1000, (i) => ({ dense: valueOf(i), ...everyFifth(i) }));
    const hot = await read(["dense", "sparse"]);
    expect(hot[0]?.points.slice(0, 6)).toEqual([0, 1, 2, 3, 4, 5].map((i) => [i, valueOf(i)]));
    expect(hot[1]?.points.slice(0, 3)).toEqual([
      [0, 0],
      [5, 10],
      [10, 20],
    ]);
    expect(await compactPoints(pool, attemptId, { isOver: false })).toBe(720);
    expect(await read(["dense", "sparse"])).toEqual(hot);
    expect(await compactPoints(pool, attemptId, { isOver: false }), "the newest stay").toBe(0);
    expect(await compactPoints(pool, attemptId, { isOver: true })).toBe(280);
    expect(await read(["dense", "sparse"])).toEqual(hot);
    expect(await readKeys(pool, [runId])).toEqual(["dense", "sparse"]);
  });

  it("never lose a reader who looks while they are compacted", async () => {
    await write(attemptId, 0, 2000, (i) => ({ a: i }));
    const reads = Array.from({ length: 8 }, () => read(["a"]));
    const [, ...seen] = await Promise.all([compactPoints(pool, attemptId, { isOver: true }), ...reads]);
    for (const [series] of seen) expect(series?.points).toHaveLength(2000);
  });

  it("stay one row each, out of line for none", async () => {
    const rng = split(0, "noise");
    await write(attemptId, 0, 500, (i) => ({ dense: rng.next(), ...(i % 2 ? { sparse: rng.next() } : {}) }));
    await compactPoints(pool, attemptId, { isOver: true });
    const { rows } = await pool.query(
      "SELECT max(num_points) AS most, max(pg_column_size(metric_block.*)) < 2032 AS fits FROM metric_block WHERE attempt_id = $1",
      [attemptId],
    );
    expect(rows).toEqual([{ most: 240, fits: true }]);
  });

  it("of a retry replace those of the attempt before, from its first iteration on", async () => {
    await write(attemptId, 0, 60, (i) => ({ a: i, "clone/loss": i }));
    const retry = await insertSecond(50);
    await write(retry, 50, 55, (i) => ({ a: 1000 + i }));
    const [series, clone] = await read(["a", "clone/loss"]);
    expect(series?.points.map(([iteration]) => iteration)).toEqual(Array.from({ length: 55 }, (_, i) => i));
    expect(series?.points.slice(48, 52)).toEqual([
      [48, 48],
      [49, 49],
      [50, 1050],
      [51, 1051],
    ]);
    expect(clone?.points, "a resumed attempt does not clone again").toHaveLength(60);
  });

  it("of an attempt that starts over replace everything", async () => {
    await write(attemptId, 0, 60, (i) => ({ a: i, rare: i }));
    const retry = await insertSecond(1);
    await write(retry, 0, 3, (i) => ({ a: 1000 + i }));
    expect(await read(["a", "rare"])).toEqual([
      {
        key: "a",
        points: [
          [0, 1000],
          [1, 1001],
          [2, 1002],
        ],
      },
    ]);
  });
});

describe("deltas", () => {
  const since = async (cursor: Record<string, number>) => {
    const { cursor: next, series } = await readSeriesSince(pool, { runIds: [runId], keys: ["a", "b"], cursor });
    const news = series.map(
      ({ key, isWhole, iterations }) => `${isWhole ? "all" : "more"} ${key} ${[...iterations].join()}`,
    );
    return { next, news };
  };

  it("bring what is new and nothing else", async () => {
    await write(attemptId, 0, 3, (i) => ({ a: i, b: i }));
    const first = await since({});
    expect(first.news).toEqual(["all a 0,1,2", "all b 0,1,2"]);
    expect((await since(first.next)).news).toEqual([]);
    await write(attemptId, 3, 5, (i) => ({ a: i }));
    const second = await since(first.next);
    expect(second.news).toEqual(["more a 3,4"]);
    expect((await since(second.next)).news).toEqual([]);
  });

  it("reach a reader who was away during a compaction", async () => {
    await write(attemptId, 0, 300, (i) => ({ a: i }));
    const { next } = await since({});
    await write(attemptId, 300, 1000, (i) => ({ a: i }));
    await compactPoints(pool, attemptId, { isOver: true });
    const { series } = await readSeriesSince(pool, { runIds: [runId], keys: ["a"], cursor: next });
    const news = new Set(series[0]?.iterations);
    for (let i = 300; i < 1000; i++) expect(news.has(i)).toBe(true);
  });

  it("give a retried run whole, also where nothing is left of it", async () => {
    await write(attemptId, 0, 3, (i) => ({ a: i, b: i }));
    const { next } = await since({});
    const retry = await insertSecond(1);
    expect((await since(next)).news, "it has not logged yet").toEqual([]);
    await write(retry, 0, 1, (i) => ({ a: i }));
    expect((await since(next)).news).toEqual(["all a 0", "all b "]);
  });
});

async function insertSecond(firstIteration: number): Promise<number> {
  await database.prisma.attempt.updateMany({ where: { runId }, data: { live: false } });
  const id = await insertAttempt(database, runId, 2);
  await database.prisma.attempt.update({ where: { id }, data: { started: { firstIteration } } });
  return id;
}

async function write(id: number, from: number, to: number, valuesAt: (i: number) => Record<string, number>) {
  const lines = Array.from({ length: to - from }, (_, i) => ({ seq: from + i, values: valuesAt(from + i) }));
  const ids = await metricIds(lines.flatMap(({ values }) => Object.keys(values)));
  await inTransaction(pool, async (client) => {
    const rows = lines.map(({ seq, values }) => ({
      attemptId: id,
      seq,
      iteration: seq,
      optimizerStep: 0,
      atMs: 0,
      metricIds: Object.keys(values).map((key) => ids.get(key) ?? -1),
      values: Object.values(values),
    }));
    await appendPoints(client, rows);
    await client.query("UPDATE attempt SET num_metric_lines = num_metric_lines + $2, last_seq = $3 WHERE id = $1", [
      id,
      lines.length,
      to - 1,
    ]);
  });
}

async function read(keys: string[]) {
  const series = await readSeries(pool, { runIds: [runId], keys });
  return series.map(({ key, iterations, values }) => ({
    key,
    points: [...iterations].map((iteration, i) => [iteration, values[i]]),
  }));
}
