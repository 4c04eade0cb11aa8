import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { saveNodes } from "#server/db/fleet/nodes.ts";
import { makeNotifications, type Notifications } from "#server/db/storage/notifications.ts";
import { appendPoints, makeMetricIds } from "#server/db/runs/pointWrites.ts";
import { inTransaction } from "#server/db/storage/inTransaction.ts";
import { replayWaiting } from "#server/engine/ingest/replayRun.ts";
import { summariseRuns } from "#server/db/runs/runSummaries.ts";
import { insertAttempt, insertSweep } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { thisMachine } from "#server/domain/fleet/nodes/node.ts";
import { meanInterval } from "#packages/statistics";
import { inBoth, isSoak } from "#server/testing/soak.ts";
import { exportRuns } from "./exportRuns.ts";
import { createCaller } from "../root.ts";
import { makeAnalystHere } from "../testing/analystHere.ts";

let database: TestDatabase;
let notifications: Notifications;
let caller: ReturnType<typeof createCaller>;
const success = "evaluation/successRate";
const view = { filter: "", columns: [], order: [], groupBy: [] };
const plain = { filter: "", columns: [], order: [], offset: 0, limit: 100 };

beforeAll(async () => {
  database = await makeTestDatabase();
  notifications = makeNotifications(database.url);
  caller = createCaller({
    database,
    notifications,
    analyst: makeAnalystHere(database),
    caller: { kind: "session", isSameOrigin: true, person: null },
  });
  await insertSweep(database, "one", ["a0", "a1", "a2"]);
  await insertSweep(database, "two % of_it", ["b0"]);
  const { prisma } = database;
  await prisma.cell.updateMany({ where: { sweepId: "two % of_it" }, data: { method: "GSPO", label: "lr 1e-3" } });
  for (const [i, runId] of ["a0", "a1", "a2", "b0"].entries()) {
    await logRun(runId, (iteration) => 0.1 * i + 0.01 * iteration);
  }
  await prisma.run.update({ where: { id: "a1" }, data: { status: "failed", tags: ["paper", "seed study"] } });
  await prisma.run.update({ where: { id: "b0" }, data: { status: "finished", note: "look at **this**" } });
  while (await summariseRuns(database.pool, 2));
});
afterAll(async () => {
  await notifications.close();
  await database.close();
});

/** Logs forty iterations, each with an evaluation, and an evaluation before training. */
async function logRun(runId: string, valueOf: (iteration: number) => number): Promise<void> {
  const attemptId = await insertAttempt(database, runId, 1);
  const ids = await makeMetricIds(database.pool)([success, "rollout/entropy"]);
  const lines = Array.from({ length: 41 }, (_, i) => ({
    attemptId,
    seq: i,
    iteration: i,
    optimizerStep: i,
    atMs: i,
    metricIds: [ids.get(success) ?? 0, ids.get("rollout/entropy") ?? 0],
    values: [valueOf(i), i === 40 ? NaN : -i],
  }));
  await inTransaction(database.pool, (client) => appendPoints(client, lines));
  const data = { numMetricLines: lines.length, lastSeq: 40, started: { firstIteration: 1 } };
  await database.prisma.attempt.update({ where: { id: attemptId }, data });
  await database.prisma.run.update({ where: { id: runId }, data: { latestIteration: 40 } });
}

const idsOf = async (filter: string) =>
  (await caller.runTable.rows({ ...plain, filter })).rows.map(({ id }) => id).sort();

/** Returns the lines of the first run's export. */
async function exportedLines(columns: readonly string[]): Promise<string[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await exportRuns(database, { ids: ["a0"], columns, format: "csv" })) chunks.push(chunk);
  return Buffer.concat(chunks).toString().trim().split(/\r?\n/);
}

describe("a study of runs", () => {
  it("has what differs between them, what came out, and what is the same in all", async () => {
    const study = await caller.runTable.study({ scope: { sweepIds: ["one", "two % of_it"] }, columns: [] });
    expect(study.parameters.map(({ key }) => key)).toEqual(["method"]);
    expect(study.outcomes.map(({ key }) => key)).toEqual([`final.${success}`, "hindsight", "collapsedAt", "started"]);
    expect(study.runs.map(({ id, values }) => [id, ...values.slice(0, 2)])).toEqual([
      ["a0", "GRPO", expect.closeTo(0.385)],
      ["a1", "GRPO", expect.closeTo(0.485)],
      ["a2", "GRPO", expect.closeTo(0.585)],
      ["b0", "GSPO", expect.closeTo(0.685)],
    ]);
    expect(study.metrics).toEqual([success, "rollout/entropy"]);
    expect(study.constant).toContainEqual({ title: "Clip range above 1", value: "0.2" });
  });

  it("is of the runs that a filter finds, or that are named, by the columns asked for", async () => {
    const columns = ["last.rollout/entropy"];
    const found = await caller.runTable.study({ scope: { filter: "sweep:one -failed" }, columns });
    expect(found.runs.map(({ id, values }) => [id, values[0]])).toEqual([
      ["a0", -39],
      ["a2", -39],
    ]);
    const named = await caller.runTable.study({ scope: { runIds: ["b0", "a1", "gone"] }, columns });
    expect(named.runs.map(({ id }) => id)).toEqual(["b0", "a1"]);
    await expect(caller.runTable.study({ scope: { filter: "lrr>2" }, columns })).rejects.toThrow("no field lrr");
  });
});

describe("the table of runs", () => {
  it.each([
    ["", ["a0", "a1", "a2", "b0"]],
    ["method:gspo", ["b0"]],
    ["-method:gspo", ["a0", "a1", "a2"]],
    ["failed", ["a1"]],
    ["-failed sweep:one", ["a0", "a2"]],
    ["tag:paper", ["a1"]],
    ["tag:pap", []],
    ['tag:"seed study"', ["a1"]],
    ["-tags:*", ["a0", "a2", "b0"]],
    ["success>0.4", ["a1", "a2", "b0"]],
    ["success:0.57..0.6", ["a2"]],
    ["optimizer.learningRate:*", ["a0", "a1", "a2", "b0"]],
    ["method.clipping.kind:token", ["a0", "a1", "a2", "b0"]],
    ["node:local seed:0,1", undefined],
    ["look", ["b0"]],
    ["two%20", []],
    ["sweep:%", ["b0"]],
    ["sweep:_", ["b0"]],
    ["'; DROP TABLE run; --", []],
    ["configuration:*", ["b0"]],
    ["created>=2020-01-01", ["a0", "a1", "a2", "b0"]],
    ["created<2020-01-01", []],
    ["collapsed", []],
    ["-collapsed", ["a0", "a1", "a2", "b0"]],
  ])("is filtered by words in the database: %s", async (filter, expected) => {
    if (expected === undefined) await expect(idsOf(filter)).rejects.toThrow("seed is compared with a number");
    else expect(await idsOf(filter)).toEqual(expected);
  });

  it("refuses a word that nobody knows by its place, and a column", async () => {
    await expect(idsOf("failed methd:x")).rejects.toThrow(
      "filter, character 8: there is no field methd; did you mean method?",
    );
    const columns = ["optimizer.learningrat"];
    await expect(caller.runTable.rows({ ...plain, columns })).rejects.toThrow(/did you mean .*learningRate/);
  });

  it("is sorted by any column, what is missing last, and cut into windows", async () => {
    const order = [{ field: `final.${success}`, isDescending: true }];
    const first = await caller.runTable.rows({ ...plain, order, limit: 3 });
    expect(first.rows.map(({ id }) => id)).toEqual(["b0", "a2", "a1"]);
    expect(first.total).toBe(4);
    const rest = await caller.runTable.rows({ ...plain, order, limit: 3, offset: 3 });
    expect(rest.rows.map(({ id }) => id)).toEqual(["a0"]);
    for (const isDescending of [false, true]) {
      const byNote = await caller.runTable.rows({ ...plain, order: [{ field: "note", isDescending }] });
      expect(byNote.rows[0]?.id).toBe("b0");
    }
    const all = await caller.runTable.ids({ filter: "", order });
    expect(all.map(({ id }) => id)).toEqual(["b0", "a2", "a1", "a0"]);
    expect(all[0]?.sweepId).toBe("two % of_it");
  });

  it("says of a run what the tables page says", async () => {
    const columns = [`final.${success}`, `best.${success}`, `last.${success}`, "last.rollout/entropy"];
    const { rows } = await caller.runTable.rows({ ...plain, columns });
    const { longCsv } = await caller.table.final({ sweepIds: ["one", "two % of_it"], metric: success });
    const lines = longCsv.split("\n").filter((line) => line.includes("final-window"));
    for (const { id, values } of rows) {
      const line = lines.find((one) => one.includes(`,${id},`)) ?? "";
      expect(line, longCsv).toContain(String(values[0]));
    }
    expect(rows.map(({ values }) => values.slice(1))).toContainEqual([0.4, 0.4, -39]);
  });

  it("has summaries that are made again when a run has logged more, and never of a moment that has passed", async () => {
    const attempt = await database.prisma.attempt.findFirstOrThrow({ where: { runId: "a0" } });
    // Runs without a label count, too, so that the page shows labels when they are stored.
    expect(await caller.runTable.numBehind()).toBeGreaterThan(1);
    while (await replayWaiting(database.pool, 50));
    expect(await caller.runTable.numBehind()).toBe(0);
    const ids = await makeMetricIds(database.pool)([success]);
    const line = { attemptId: attempt.id, seq: 41, iteration: 41, optimizerStep: 41, atMs: 41 };
    const metricIds = [ids.get(success) ?? 0];
    await inTransaction(database.pool, (client) => appendPoints(client, [{ ...line, metricIds, values: [7] }]));
    const data = { numMetricLines: 42, lastSeq: 41 };
    await database.prisma.attempt.update({ where: { id: attempt.id }, data });
    await database.prisma.run.update({ where: { id: "a0" }, data: { latestIteration: 41 } });
    expect(await caller.runTable.numBehind()).toBe(1);
    while (await summariseRuns(database.pool, 2));
    const { rows } = await caller.runTable.rows({ ...plain, columns: [`last.${success}`] });
    expect(await caller.runTable.numBehind()).toBe(0);
    expect(rows.find(({ id }) => id === "a0")?.values).toEqual([7]);
  });

  it("is grouped by any columns, with the means and intervals of the statistics", async () => {
    const columns = [`final.${success}`, "method", "seed"];
    const { rows } = await caller.runTable.rows({ ...plain, columns, filter: "sweep:one" });
    const finals = rows.map(({ values }) => Number(values[0]));
    const { mean, halfWidth } = meanInterval(finals.sort((a, b) => a - b));
    const { groups } = await caller.runTable.groups({ ...view, columns, groupBy: ["sweep", "method"] });
    expect(groups.map(({ keys, count }) => [...keys, count])).toEqual([
      ["one", "GRPO", 3],
      ["two % of_it", "GSPO", 1],
    ]);
    const [cell] = groups[0]?.cells ?? [];
    expect(cell).toMatchObject({ kind: "mean", n: 3 });
    expect(cell?.kind === "mean" && cell.mean).toBeCloseTo(mean, 12);
    expect(cell).toMatchObject({ interval: { low: 0, high: expect.closeTo(Math.min(1, mean + halfWidth), 12) } });
    expect(groups[1]?.cells[0]).toMatchObject({ kind: "mean", interval: null, n: 1 });
    expect(groups[0]?.cells.slice(1)).toEqual([
      { kind: "same", value: "GRPO" },
      { kind: "several", count: 3 },
    ]);
  });

  it("averages values whose squares no number holds, without an interval", async () => {
    const columns = [`last.${success}`];
    await database.pool.query("UPDATE metric_summary SET last = 1e300");
    const { groups } = await caller.runTable.groups({ ...view, columns, groupBy: ["sweep"] });
    expect(groups[0]?.cells).toEqual([{ kind: "mean", mean: 1e300, interval: null, n: 3 }]);
    await database.pool.query("UPDATE run SET summarised_to = NULL");
    while (await summariseRuns(database.pool, 2));
  });

  it("calls configurations in the field's short words in groups, whose keys a filter still finds", async () => {
    const { prisma } = database;
    const label = "learningRate 3e-4, lag.k 16";
    await prisma.cell.updateMany({ where: { sweepId: "two % of_it" }, data: { label } });
    const asked = { ...view, columns: ["configuration"], groupBy: ["configuration"], filter: "method:gspo" };
    const { groups } = await caller.runTable.groups(asked);
    const title = "lr 3e-4, lag 16";
    const others = { method: "GSPO", environment: "Sokoban", sweep: "two % of_it" };
    const around = (text: string) => [others.method, text, expect.any(String), others.sweep];
    expect(groups).toMatchObject([
      { keys: around(label), titles: around(title), cells: [{ kind: "same", value: title }] },
    ]);
    await prisma.cell.updateMany({ where: { sweepId: "two % of_it" }, data: { label: "lr 1e-3" } });
  });

  it("takes no mean over environments, and configurations of several sweeps or methods apart", async () => {
    const { pool } = database;
    await pool.query(
      `UPDATE cell SET spec = jsonb_set(spec, '{environment,id}', '"elsewhere"') WHERE sweep_id <> 'one'`,
    );
    const columns = [`last.${success}`, "attempts"];
    const read = (groupBy: string[]) => caller.runTable.groups({ ...view, columns, groupBy });
    expect((await read(["origin"])).groups).toMatchObject([
      {
        count: 4,
        cells: [
          { kind: "several", count: 2 },
          { kind: "same", value: 1 },
        ],
      },
    ]);
    const { groups } = await read(["configuration"]);
    expect(groups.map(({ keys, count }) => [...keys, count])).toEqual([
      ["GRPO", null, "sokoban", "one", 3],
      ["GSPO", "lr 1e-3", "elsewhere", "two % of_it", 1],
    ]);
    await pool.query(`UPDATE cell SET spec = jsonb_set(spec, '{environment,id}', '"sokoban"')`);
  });

  it("counts collapses and alarms among the judged runs of a group", async () => {
    const { pool } = database;
    await pool.query(
      `INSERT INTO detection (run_id, detector_version, attempt_id, memory, status, index, iteration, num_steps, changes, keys, alarm, hindsight)
       SELECT run_id, 'any', attempt.id, '{}', 'healthy', 0, 40, 40, '[]', '{}', given.alarm,
         jsonb_build_object('label', jsonb_build_object('kind', given.kind))
       FROM attempt JOIN (VALUES ('a0', 'unstable', 'collapseRecovered'), ('a1', 'warning', 'ambiguous'), ('a2', NULL, 'notJudged'))
         AS given(run_id, alarm, kind) USING (run_id)
       ON CONFLICT (run_id) DO UPDATE SET alarm = excluded.alarm, hindsight = excluded.hindsight, num_steps = 40`,
    );
    const { groups } = await caller.runTable.groups({ ...view, columns: ["hindsight", "alarm"], groupBy: ["method"] });
    expect(groups[0]?.cells).toEqual([
      { kind: "collapses", numCollapsed: 1, numJudged: 2, numUnclear: 1 },
      { kind: "collapses", numCollapsed: 1, numJudged: 2, numUnclear: 0 },
    ]);
  });

  it("restricts runs to sweeps by their ids", async () => {
    expect(await idsOf("sweepId=one")).toEqual(["a0", "a1", "a2"]);
    expect(await idsOf('sweepId="two % of_it"')).toEqual(["b0"]);
  });

  it("has a metric at any iteration as a column, an order, a word and the mean of a group", async () => {
    const at = (iteration: number) => `at${iteration}.${success}`;
    const columns = [at(0), "at40.success", at(41), "at40.rollout/entropy"];
    const order = [{ field: at(40), isDescending: true }];
    const { rows } = await caller.runTable.rows({ ...plain, columns, order, filter: "at20.success<0.55" });
    expect(rows.map(({ id, values }) => [id, ...values])).toEqual([
      ["b0", expect.closeTo(0.3), expect.closeTo(0.7), null, null],
      ["a2", expect.closeTo(0.2), expect.closeTo(0.6), null, null],
      ["a1", expect.closeTo(0.1), expect.closeTo(0.5), null, null],
      ["a0", expect.closeTo(0), expect.closeTo(0.4), 7, null],
    ]);
    const { groups } = await caller.runTable.groups({ ...view, columns, order, groupBy: ["sweep"] });
    expect(groups.map(({ keys }) => keys)).toEqual([["two % of_it"], ["one"]]);
    const expected = meanInterval([0.4, 0.5, 0.6]);
    const [, cell] = groups[1]?.cells ?? [];
    expect(cell).toEqual({
      kind: "mean",
      n: 3,
      mean: expect.closeTo(expected.mean),
      interval: {
        low: expect.closeTo(expected.mean - expected.halfWidth),
        high: expect.closeTo(expected.mean + expected.halfWidth),
      },
    });
    await expect(caller.runTable.rows({ ...plain, columns: ["at40.nothing"] })).rejects.toThrow(
      "no field at40.nothing",
    );
    expect(await exportedLines(columns)).toEqual([
      `run,method,configuration,seed,${at(0)},${at(40)},${at(41)},at40.rollout/entropy`,
      expect.stringMatching(/^a0,GRPO,,0,0,0\.4,7,$/),
    ]);
  });

  it("has costs: of all attempts, and none where a node has no price", async () => {
    const { prisma, pool } = database;
    const news = { lastContactAtMs: null, problem: null, gpus: null, disk: null };
    await saveNodes(database, [
      { ...news, node: { ...thisMachine(2), pricePerSlotHour: 3 } },
      { ...news, node: { ...thisMachine(2), name: "free" } },
    ]);
    const startMs = Date.UTC(2026, 10, 23, 10);
    const hours = (n: number) => new Date(startMs + 3_600_000 * n);
    const started = { firstIteration: 1, atMs: startMs };
    await prisma.sweep.update({ where: { id: "one" }, data: { slotsPerRun: 2 } });
    await prisma.attempt.updateMany({ data: { started, live: false, endedAt: hours(2) } });
    const first = { number: 2, node: "local", folder: "", live: false, started, endedAt: hours(0.5) };
    await prisma.attempt.create({ data: { ...first, runId: "a1", jobId: "a1.2" } });
    await prisma.attempt.create({ data: { ...first, runId: "a2", jobId: "a2.2", node: "free" } });
    const costs = async (filter: string) => {
      const order = [{ field: "cost", isDescending: true }];
      const { rows } = await caller.runTable.rows({ ...plain, filter, columns: ["cost"], order });
      return rows.map(({ id, values }) => [id, values[0]]);
    };
    expect(await costs("")).toEqual([
      ["a1", 15],
      ["a0", 12],
      ["b0", 6],
      ["a2", null],
    ]);
    expect(await costs("cost>=12")).toEqual([
      ["a1", 15],
      ["a0", 12],
    ]);
    expect(await exportedLines(["cost"])).toEqual(["run,method,configuration,seed,cost", "a0,GRPO,,0,12"]);
    const { groups } = await caller.runTable.groups({ ...view, columns: ["cost"], groupBy: ["sweep"] });
    expect(groups[0]?.cells).toEqual([{ kind: "mean", mean: 13.5, interval: null, n: 2 }]);
    await prisma.attempt.updateMany({ where: { runId: "a0" }, data: { jobState: "elsewhere" } });
    expect(await costs("run:a0"), "of a recorded study").toEqual([["a0", null]]);
    await prisma.attempt.deleteMany({ where: { number: 2 } });
    await prisma.attempt.updateMany({ data: { jobState: "submitted", live: true, endedAt: null } });
    await pool.query("DELETE FROM node_sighting");
  });

  it("gives charts the pinned baseline by its runs' final values, in its environment alone", async () => {
    const { prisma } = database;
    const [first, second] = await prisma.cell.findMany({ where: { sweepId: "one" }, orderBy: { index: "asc" } });
    const finalOf = async (id: string) => {
      const { rows } = await caller.runTable.rows({ ...plain, filter: `run:${id}`, columns: [`final.${success}`] });
      return Number(rows[0]?.values[0]);
    };
    const read = (scope: { sweepIds: string[] } | { runIds: string[] }) =>
      caller.series.references({ scope, keys: [success, "rollout/nothing"] });
    expect(await read({ sweepIds: ["one"] })).toEqual([]);
    await caller.sweep.pinBaseline({ id: "one", cellId: first?.id ?? 0 });
    const chosen = { scope: { sweepIds: ["one"] }, keys: [success], baseline: second?.id ?? 0 };
    expect(await caller.series.references(chosen), "a reader's own choice").toMatchObject([{ cellId: second?.id }]);
    expect(await caller.series.references({ ...chosen, baseline: null })).toEqual([]);
    await prisma.run.update({ where: { id: "a1" }, data: { cellId: first?.id ?? 0 } });
    const value = ((await finalOf("a0")) + (await finalOf("a1"))) / 2;
    const reference = {
      cellId: first?.id,
      method: "GRPO",
      label: "",
      environment: "sokoban",
      sweepName: "one",
      key: success,
      numRuns: 2,
    };
    expect(await read({ sweepIds: ["one"] })).toEqual([{ ...reference, value: expect.closeTo(value) }]);
    expect(await read({ runIds: ["a2", "b0"] }), "of the sweeps of runs").toHaveLength(1);
    expect(await read({ runIds: ["b0"] })).toEqual([]);
    await prisma.run.update({ where: { id: "a1" }, data: { cellId: second?.id ?? 0 } });
    const other = await prisma.cell.findFirstOrThrow({ where: { runs: { some: { id: "a2" } } } });
    await database.pool.query(
      `UPDATE cell SET spec = jsonb_set(spec, '{environment,id}', '"elsewhere"') WHERE id = ${other.id}`,
    );
    expect(await read({ runIds: ["a2"] }), "the same method and settings in another environment").toMatchObject([
      { cellId: other.id, environment: "elsewhere", numRuns: 1 },
    ]);
    await prisma.cell.update({ where: { id: other.id }, data: { spec: other.spec ?? {} } });
    await caller.sweep.pinBaseline({ id: "one", cellId: null });
  });

  it("makes no groups by nothing", async () => {
    await expect(caller.runTable.groups(view)).rejects.toThrow("groupBy: name one to four fields");
  });

  it("offers the fields and values that there are", async () => {
    const fields = await caller.runTable.fields();
    const keys = fields.map(({ key }) => key);
    expect(keys).toEqual(expect.arrayContaining(["method", "optimizer.learningRate", `best.${success}`]));
    expect(new Set(keys).size).toBe(keys.length);
    expect(await caller.runTable.values({ field: "method", text: "gs" })).toEqual([{ value: "GSPO", count: 1 }]);
    expect(await caller.runTable.values({ field: "tag", text: "" })).toEqual([
      { value: "paper", count: 1 },
      { value: "seed study", count: 1 },
    ]);
  });

  it("has every field as a column, an order and a word", { tags: inBoth }, async () => {
    const fields = await caller.runTable.fields();
    for (const { key } of fields.filter((_, i) => (i % 5 === 0) !== isSoak)) {
      const order = [{ field: key, isDescending: false }];
      const { rows } = await caller.runTable.rows({ ...plain, columns: [key], order, filter: `${key}:*` });
      for (const { values } of rows) expect(values[0], key).not.toBeNull();
      await caller.runTable.values({ field: key, text: "a" });
      await caller.runTable.groups({ ...view, columns: [key], groupBy: [key], order });
    }
  });

  it("is marked: tags, a note, out of sight and back; tables and their proofs do not change", async () => {
    const sweepIds = ["one", "two % of_it"];
    const before = await caller.table.final({ sweepIds, metric: success });
    expect(await caller.runTable.mark({ ids: ["a0", "b0"], addTags: [" later ", "paper"] })).toEqual({ numRuns: 2 });
    expect(await idsOf("tag:later,nothing")).toEqual(["a0", "b0"]);
    await caller.runTable.mark({ ids: ["a0"], removeTags: ["later"], note: "seen", isArchived: true });
    expect(await idsOf("tag:later")).toEqual(["b0"]);
    expect(await idsOf("")).toEqual(["a1", "a2", "b0"]);
    expect(await idsOf("archived")).toEqual(["a0"]);
    expect(await idsOf("-archived")).toEqual(["a1", "a2", "b0"]);
    expect(await idsOf("archived>=2020-01-01 note:seen tag:paper")).toEqual(["a0"]);
    expect(await caller.table.final({ sweepIds, metric: success })).toEqual(before);
    await caller.runTable.mark({ ids: ["a0"], isArchived: false });
    expect(await idsOf("")).toEqual(["a0", "a1", "a2", "b0"]);
    await expect(caller.runTable.mark({ ids: ["a0"], addTags: ["a,b"] })).rejects.toThrow(
      "must not contain commas or quotes",
    );
  });

  it("keeps views by their names", async () => {
    await caller.runTable.saveView({ name: "Mine", query: "q=failed" });
    await caller.runTable.saveView({ name: "Mine", query: "q=collapsed" });
    await caller.runTable.saveView({ name: "Another", query: "by=method" });
    const views = await caller.runTable.views();
    expect(views.map(({ name, query }) => [name, query])).toEqual([
      ["Another", "by=method"],
      ["Mine", "q=collapsed"],
    ]);
    await caller.runTable.deleteView({ name: "Mine" });
    expect(await caller.runTable.views()).toHaveLength(1);
  });

  it("says of a label that it was judged by reward, as every page does", async () => {
    const label = (kind: string, keys: string[]) =>
      database.pool.query(
        `INSERT INTO detection (run_id, detector_version, attempt_id, memory, status, index, iteration, num_steps, changes, keys, hindsight)
         SELECT 'a2', 'any', id, '{}', 'healthy', 0, 40, 40, '[]', $2, jsonb_build_object('label', jsonb_build_object('kind', $1::text))
         FROM attempt WHERE run_id = 'a2' LIMIT 1
         ON CONFLICT (run_id) DO UPDATE SET keys = excluded.keys, hindsight = excluded.hindsight, num_steps = 40`,
        [kind, keys],
      );
    const read = async () =>
      (await caller.runTable.rows({ ...plain, filter: "run:a2", columns: ["hindsight"] })).rows[0]?.values[0];
    await label("healthy", ["rollout/returnMean", "policy/entropy"]);
    expect(await read()).toBe("healthy, judged by reward");
    expect(await idsOf("hindsight:healthy run:a2")).toEqual(["a2"]);
    await label("ambiguous", ["rollout/returnMean"]);
    expect(await read()).toBe("unclear, judged by reward");
    expect(await idsOf("unclear run:a2")).toEqual(["a2"]);
    await label("healthy", ["rollout/returnMean", "rollout/successRate"]);
    expect(await read()).toBe("healthy");
    await label("notJudged", ["rollout/returnMean"]);
    expect(await read()).toBe("not judged");
  });

  it("retries and cancels what can be, and says why the others are not", async () => {
    const { numDone, refused } = await caller.runTable.retry({ ids: ["a1", "b0", "gone"] });
    expect(numDone).toBe(1);
    expect(refused).toEqual([
      { id: "b0", message: "run b0 is finished; only failed or cancelled runs are retried" },
      { id: "gone", message: "there is no run gone" },
    ]);
    expect((await caller.runTable.cancel({ ids: ["a1", "b0"] })).numDone).toBe(1);
  });

  it("lets runs be deleted that are over, all or none", async () => {
    const { prisma, pool } = database;
    await expect(caller.runTable.delete({ ids: ["b0", "a2"] })).rejects.toThrow("2 runs are not over (a2, b0); cancel");
    await prisma.attempt.updateMany({ where: { runId: "b0" }, data: { live: false } });
    expect(await caller.runTable.delete({ ids: ["b0"] })).toEqual({ numRuns: 1 });
    expect(await idsOf("")).toEqual(["a0", "a1", "a2"]);
    const { rows } = await pool.query(
      `SELECT (SELECT count(*) FROM metric_row WHERE attempt_id NOT IN (SELECT id FROM attempt))::int AS points,
         (SELECT count(*) FROM metric_summary WHERE run_id = 'b0')::int AS summaries`,
    );
    expect(rows).toEqual([{ points: 0, summaries: 0 }]);
  });
});
