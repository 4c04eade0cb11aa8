import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { makeNotifications, type Notifications } from "#server/db/storage/notifications.ts";
import { appendPoints, makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { insertAttempt, insertSweep } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import type { Context } from "../trpc.ts";
import type { LiveNews } from "./followCharts.ts";
import { createCaller } from "../root.ts";
import { makeAnalystHere } from "../testing/analystHere.ts";

let database: TestDatabase;
let notifications: Notifications;
let context: Context;
let attemptId: number;

beforeAll(async () => {
  database = await makeTestDatabase();
  notifications = makeNotifications(database.url);
  context = {
    database,
    notifications,
    analyst: makeAnalystHere(database),
    caller: { kind: "session", isSameOrigin: true, person: null },
  };
  await insertSweep(database, "s", ["r0", "r1"]);
  attemptId = await insertAttempt(database, "r0", 1);
});
afterAll(async () => {
  await notifications.close();
  await database.close();
});

/** Writes points, count, offset and notification in one transaction, as the ingest does. */
async function write(points: readonly [seq: number, iteration: number, value: number][]): Promise<void> {
  const ids = await makeMetricIds(database.pool)(["loss/total"]);
  const client = await database.pool.connect();
  const metricIds = [ids.get("loss/total") ?? -1];
  await client.query("BEGIN");
  await appendPoints(
    client,
    points.map(([seq, iteration, value]) => ({
      attemptId,
      seq,
      iteration,
      optimizerStep: 0,
      atMs: 0,
      metricIds,
      values: [value],
    })),
  );
  const lastSeq = points.at(-1)?.[0] ?? -1;
  await client.query("UPDATE attempt SET num_metric_lines = num_metric_lines + $2, last_seq = $3 WHERE id = $1", [
    attemptId,
    points.length,
    lastSeq,
  ]);
  const news = JSON.stringify({ sweepId: "s", runId: "r0", kind: "points" });
  await client.query("SELECT pg_notify('arlarena', $1)", [news]);
  await client.query("COMMIT");
  client.release();
}

/** An event of `tracked`: id and data. */
const Tracked = z.tuple([z.string(), z.custom<LiveNews>()]).rest(z.unknown());

const selection = {
  scope: { sweepIds: ["s"] },
  keys: ["loss/total"],
  aggregate: "std" as const,
  seeds: false,
  range: null,
};

it("answers a chart, its news without being asked again, and after a reconnection only what was missed", async () => {
  await write([
    [1, 1, 0.5],
    [2, 2, Number.NaN],
  ]);
  const caller = createCaller(context);
  const answer = await caller.series.charts(selection);
  expect(answer.charts).toMatchObject([
    { bands: [{ iterations: [1], values: [0.5] }], nonFinite: [{ runId: "r0", iteration: 2, kind: "NaN" }] },
  ]);

  const leaving = new AbortController();
  const live = createCaller(context, { signal: leaving.signal });
  const stream = (await live.series.live({ ...selection, cursor: answer.cursor }))[Symbol.asyncIterator]();
  const [, first] = Tracked.parse((await stream.next()).value);
  expect(first.runs.map((run) => run.id)).toEqual(["r0", "r1"]);
  expect(first.charts).toEqual([]);

  const next = stream.next();
  await write([[3, 3, 0.25]]);
  const [lastEventId, news] = Tracked.parse((await next).value);
  expect(news.charts).toMatchObject([{ key: "loss/total", bands: [{ iterations: [3], values: [0.25] }] }]);
  leaving.abort();
  await stream.return?.(undefined);

  await write([[4, 4, 0.125]]);
  const again = new AbortController();
  const resumed = await createCaller(context, { signal: again.signal }).series.live({
    ...selection,
    cursor: answer.cursor,
    lastEventId,
  });
  const resumedStream = resumed[Symbol.asyncIterator]();
  const [, missed] = Tracked.parse((await resumedStream.next()).value);
  expect(missed.charts[0]?.bands[0]?.iterations).toEqual([3, 4]);
  again.abort();
  // `return` ends the stream. Otherwise later readers would share its watch, which has older run rows.
  await resumedStream.return?.(undefined);
});

it("gives the grid of a sweep, one run's whole story, and its log's absence as an answer", async () => {
  const caller = createCaller(context);
  const grid = await caller.run.grid({ sweepIds: ["s"] });
  expect(grid.runs.map(({ id, status, numAttempts }) => [id, status, numAttempts])).toEqual([
    ["r0", "running", 1],
    ["r1", "pending", 0],
  ]);
  const run = await caller.run.byId({ id: "r0" });
  expect(run).toMatchObject({ seed: 0, status: "running", cell: { method: "GRPO" } });
  await expect(caller.run.byId({ id: "nobody" })).rejects.toThrow("there is no run nobody");
});

it("cancels a live run, refuses to retry it, and gives a failed one another attempt", async () => {
  const caller = createCaller(context);
  await caller.run.cancel({ id: "r0" });
  expect((await caller.run.byId({ id: "r0" })).intent).toBe("cancel");
  await expect(caller.run.retry({ id: "r0" })).rejects.toThrow("only failed or cancelled runs are retried");
  await database.prisma.run.update({ where: { id: "r0" }, data: { status: "failed", reason: "diverged" } });
  await caller.run.retry({ id: "r0" });
  const run = await caller.run.byId({ id: "r0" });
  expect(run).toMatchObject({ status: "pending", reason: null, intent: "run" });
  expect(run.statusEvents.map(({ source, text }) => [source, text])).toEqual([
    ["user", "retry asked for"],
    ["user", "cancellation asked for"],
  ]);
});

it("says where a later attempt began, and gives what it replaced on demand", async () => {
  const caller = createCaller(context);
  const scope = { runId: "r0" };
  expect(await caller.series.restarts({ scope })).toEqual([]);
  await database.prisma.attempt.update({ where: { id: attemptId }, data: { live: false, reason: "preempted" } });
  attemptId = await insertAttempt(database, "r0", 2);
  await database.pool.query(`UPDATE attempt SET started = '{"firstIteration": 3}' WHERE id = $1`, [attemptId]);
  await write([[1, 3, 5]]);
  expect(await caller.series.restarts({ scope })).toEqual([
    { runId: "r0", attempt: 2, iteration: 3, reason: "preempted" },
  ]);
  const selected = { scope, keys: ["loss/total"], range: null };
  expect(await caller.series.ghosts(selected)).toMatchObject([
    { key: "loss/total", runId: "r0", attempt: 1, iterations: [3, 4], values: [0.25, 0.125] },
  ]);
  expect(await caller.series.ghosts({ ...selected, range: [0, 1] })).toEqual([]);
});

it("makes tables of a metric, with a row for a cell that has no value yet", async () => {
  const { final, longCsv } = await createCaller(context).table.final({ sweepIds: ["s"], metric: "loss/total" });
  expect(final.rows.length).toBeGreaterThan(0);
  expect(longCsv.split("\r\n")[0]).toContain("checkpoint_rule");
});

it("reads each change once for all who follow the same charts, however many they are", async () => {
  const caller = createCaller(context);
  const { cursor } = await caller.series.charts(selection);
  const follow = async (numReaders: number, seq: number): Promise<number> => {
    const leaving = Array.from({ length: numReaders }, () => new AbortController());
    const streams = await Promise.all(
      leaving.map(async ({ signal }) => {
        const live = createCaller(context, { signal });
        const events = await live.series.live({ ...selection, cursor });
        return events[Symbol.asyncIterator]();
      }),
    );
    await Promise.all(streams.map((stream) => stream.next()));
    const next = Promise.all(streams.map((stream) => stream.next()));
    let numStatements = 0;
    const count = () => void (numStatements += 1);
    database.pool.on("acquire", count);
    await write([[seq, seq, 0.25]]);
    const written = numStatements;
    for (const { value } of await next) {
      const [, news] = Tracked.parse(value);
      expect(news.charts[0]?.bands[0]?.values.at(-1)).toBe(0.25);
    }
    database.pool.off("acquire", count);
    for (const one of leaving) one.abort();
    for (const stream of streams) await stream.return?.(undefined);
    return numStatements - written;
  };
  const alone = await follow(1, 100);
  expect(alone).toBeGreaterThan(0);
  // A slow machine may deliver one change in two rounds, each of which is read once.
  expect(await follow(40, 101)).toBeLessThanOrEqual(2 * alone);
  // Readers who have left must keep no database connection.
  await expect.poll(() => database.pool.totalCount - database.pool.idleCount).toBe(0);
});

it("draws the other metrics of a group beside one whose name is very long, empty or a word of JavaScript", async () => {
  const caller = createCaller(context);
  const keys = ["loss/total", `val-aux/${"d".repeat(2000)}/mean`, "", "constructor", "__proto__", "toString"];
  const { charts } = await caller.series.charts({ ...selection, keys });
  expect(charts.map(({ key, bands }) => [key, bands.filter(({ values }) => values.length > 0).length])).toEqual(
    keys.map((key, i) => [key, i === 0 ? 1 : 0]),
  );
  expect(await caller.series.references({ scope: selection.scope, keys })).toEqual([]);
  expect(await caller.series.ghosts({ scope: selection.scope, keys: keys.slice(1), range: null })).toEqual([]);
});
