import { afterAll, expect, it } from "vitest";
import { split } from "#trainer/spec/rng.ts";
import { indexFields, metricFields } from "#server/domain/runs/table/findField.ts";
import { appendPoints, compactPoints, makeMetricIds } from "../pointWrites.ts";
import { inTransaction } from "../../storage/inTransaction.ts";
import { readSeries } from "../points.ts";
import { insertAttempt, insertSweep } from "../../testing/insertRun.ts";
import { makeTestDatabase } from "../../testing/testDatabase.ts";
import { readRunsById } from "./rows.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());
const { pool, prisma } = database;
const metricIds = makeMetricIds(pool);
const keys = ["dense", "sparse", "clone/loss"];
const valuesOf = [0.1, -2.5, 1e-310, 1.7976931348623157e308, -0, 5e-324, NaN, Infinity, 3];

type Lines = { first: number; last: number; every: number; isInBlocks: boolean };

/** Inserts an attempt that logs `dense` at each iteration, `sparse` at some, and cloning epochs at the first ten. */
async function log(runId: string, number: number, { first, last, every, isInBlocks }: Lines): Promise<void> {
  const attemptId = await insertAttempt(database, runId, number);
  const ids = await metricIds(keys);
  const lines = Array.from({ length: last - first + 1 }, (_, seq) => {
    const iteration = first + seq;
    const has = [true, iteration % every === 0, number === 1 && iteration <= 10];
    const logged = keys.filter((_, i) => has[i]);
    const value = valuesOf[(7 * iteration + 3 * number) % valuesOf.length] ?? 0;
    const line = { attemptId, seq, iteration, optimizerStep: iteration, atMs: 0 };
    return { ...line, metricIds: logged.map((key) => ids.get(key) ?? 0), values: logged.map((_, i) => value + i) };
  });
  await inTransaction(pool, (client) => appendPoints(client, lines));
  const started = number % 3 === 0 ? {} : { started: { firstIteration: Math.max(1, first) } };
  await prisma.attempt.update({
    where: { id: attemptId },
    data: { live: false, numMetricLines: lines.length, lastSeq: lines.length - 1, ...started },
  });
  if (isInBlocks) await compactPoints(pool, attemptId, { isOver: true });
  await prisma.run.update({ where: { id: runId }, data: { latestIteration: last } });
}

it("is the newest value up to an iteration of the curve that charts draw, whatever was tried again and wherever it lies", async () => {
  const runIds = ["whole", "hot", "resumed", "again", "many"];
  await insertSweep(database, "s", runIds);
  await log("whole", 1, { first: 0, last: 700, every: 5, isInBlocks: true });
  await log("hot", 1, { first: 0, last: 60, every: 7, isInBlocks: false });
  await log("resumed", 1, { first: 0, last: 300, every: 10, isInBlocks: true });
  await log("resumed", 2, { first: 251, last: 400, every: 10, isInBlocks: false });
  await log("again", 1, { first: 0, last: 300, every: 10, isInBlocks: true });
  await log("again", 2, { first: 0, last: 40, every: 10, isInBlocks: true });
  const random = split(7, "attempts");
  for (let number = 1, first = 0; number <= 6; number++) {
    const last = first + 20 + random.int(300);
    await log("many", number, { first, last, every: 1 + number, isInBlocks: number % 2 === 1 });
    first = random.int(last);
  }
  const latest = new Map((await prisma.run.findMany()).map(({ id, latestIteration }) => [id, latestIteration]));
  const series = await readSeries(pool, { runIds, keys });
  const iterations = [
    0, 1, 4, 5, 11, 40, 41, 59, 60, 61, 239, 240, 249, 250, 251, 255, 300, 399, 400, 401, 699, 700, 701,
  ];
  const index = indexFields(keys.flatMap(metricFields));
  const fields = keys.flatMap((key) => iterations.flatMap((at) => index.find(`at${at}.${key}`) ?? []));
  expect(fields).toHaveLength(keys.length * iterations.length);
  const rows = await readRunsById(pool, runIds, fields);
  let numFinite = 0;
  for (const { id, values } of rows) {
    const expected = keys.flatMap((key) => {
      const curve = series.find((one) => one.runId === id && one.key === key);
      return iterations.map((at) => {
        const index = curve?.iterations.findLastIndex((iteration) => iteration <= at) ?? -1;
        const value = at > (latest.get(id) ?? 0) ? undefined : curve?.values[index];
        return value !== undefined && Number.isFinite(value) ? value + 0 : null;
      });
    });
    numFinite += expected.filter((value) => value !== null).length;
    expect(
      values.map((value) => (typeof value === "number" ? value + 0 : value)),
      id,
    ).toEqual(expected);
  }
  expect(numFinite).toBeGreaterThan(100);
});
