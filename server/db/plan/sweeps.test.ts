import { afterAll, beforeEach, expect, test } from "vitest";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { parsePlan } from "#server/domain/plan/sweep/plan.ts";
import { spendingOf } from "#trainer/spec/budget.ts";
import { readOpenRuns } from "../fleet/decisions.ts";
import { readCells } from "../runs/runs.ts";
import { environmentSql } from "./cells.ts";
import { makeNotifications } from "../storage/notifications.ts";
import { cancel } from "../fleet/cancellations.ts";
import * as sweeps from "./sweeps.ts";
import { makeTestDatabase } from "../testing/testDatabase.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());
beforeEach(async () => void (await database.prisma.sweep.deleteMany()));

const plan = parsePlan(`name: Two methods
methods: [gspo, grpo]
environments: [{id: sokoban}]
base: {budget: {iterations: 100}}
seeds: [0, 1]
`);

function create(): Promise<string> {
  return sweeps.createSweep(database, { plan, expansion: expandPlan(plan) });
}

async function setRun(
  sweepId: string,
  seed: number,
  data: { status: string; latestIteration?: number },
): Promise<void> {
  await database.prisma.run.updateMany({ where: { sweepId, seed }, data });
}

test("a created sweep has its frozen plan, cells in order and a run per cell and seed", async () => {
  const id = await create();
  expect(id).toMatch(/^two-methods-[a-z0-9]{5}$/);
  const sweep = await sweeps.readSweep(database, id);
  expect(sweep.plan).toEqual(plan);
  expect(sweep).toMatchObject({
    methods: ["GSPO", "GRPO"],
    environments: ["sokoban"],
    numCells: 2,
    numRuns: 4,
    counts: { pending: 4, running: 0 },
    iterationsDone: 0,
    iterationsLeft: 400,
    numJudged: 0,
    numCollapsed: 0,
    startedAt: null,
  });
  expect(await database.prisma.run.findMany({ where: { sweepId: id }, orderBy: { id: "asc" } })).toMatchObject([
    { id: `${id}-c0-s0`, seed: 0, status: "pending", maxAttempts: 1 },
    { id: `${id}-c0-s1`, seed: 1 },
    { id: `${id}-c1-s0`, seed: 0 },
    { id: `${id}-c1-s1`, seed: 1 },
  ]);
});

test("tasks of a plan's own are environments by their titles, in lists, in cells and where statements ask for them", async () => {
  const own = parsePlan(`name: Two tasks
methods: [grpo]
environments: [{ id: custom, title: GSM8K }, { id: custom, title: MATH }]
base: { trainer: { name: verl, options: {} } }
seeds: [0]
`);
  const id = await sweeps.createSweep(database, { plan: own, expansion: expandPlan(own) });
  expect((await sweeps.readSweep(database, id)).environments).toEqual(["GSM8K", "MATH"]);
  const cells = await readCells(database, { sweepIds: [id] });
  expect(cells.map(({ environment, label }) => [environment, label])).toEqual([
    ["GSM8K", "GSM8K"],
    ["MATH", "MATH"],
  ]);
  const { rows } = await database.pool.query<{ name: string }>(
    `SELECT ${environmentSql("spec")} AS name FROM cell WHERE sweep_id = $1 ORDER BY index`,
    [id],
  );
  expect(rows.map(({ name }) => name)).toEqual(["GSM8K", "MATH"]);
});

test("a split budget counts as the iterations it pays for", async () => {
  const split = { units: 1000, demonstrationShare: 0.6, demonstrationCost: 2 };
  const base = { ...plan.base, budget: { split }, rollout: { numGroups: 4, groupSize: 8 } };
  const divided = { ...plan, base, axes: { "budget.split.demonstrationShare": [0, 0.1, 0.6, 1] } };
  const id = await sweeps.createSweep(database, { plan: divided, expansion: expandPlan(divided) });
  const cells = await readCells(database, { sweepIds: [id] });
  expect(cells.map(({ iterations }) => iterations)).toEqual(
    expandPlan(divided).cells.map(({ spec }) => spendingOf(spec).iterations),
  );
  expect(cells.map(({ iterations }) => iterations)).toEqual([31, 28, 12, 0, 31, 28, 12, 0]);
  expect((await sweeps.readSweep(database, id)).iterationsLeft).toBe(2 * 2 * (31 + 28 + 12));
});

test("the iterations left are unknown while a run trains without a budget", async () => {
  const id = await create();
  const [cell] = await database.prisma.cell.findMany({ where: { sweepId: id } });
  if (!cell) throw new Error("two cells");
  await database.prisma
    .$executeRaw`UPDATE cell SET spec = jsonb_set(spec, '{budget,iterations}', '0') WHERE id = ${cell.id}`;
  expect((await sweeps.readSweep(database, id)).iterationsLeft).toBe(200);
  await setRun(id, 0, { status: "running", latestIteration: 30 });
  expect(await sweeps.readSweep(database, id)).toMatchObject({ iterationsDone: 60, iterationsLeft: null });
  await setRun(id, 0, { status: "finished", latestIteration: 30 });
  expect((await sweeps.readSweep(database, id)).iterationsLeft).toBe(100);
});

test("the list counts runs by status and iterations that are left", async () => {
  const id = await create();
  await setRun(id, 0, { status: "finished", latestIteration: 100 });
  await setRun(id, 1, { status: "running", latestIteration: 30 });
  const [first] = await sweeps.listSweeps(database);
  expect(first).toMatchObject({ counts: { finished: 2, running: 2 }, iterationsDone: 260, iterationsLeft: 140 });
  expect(first?.busyMs).toBe(0);
  const [one, other] = [0, 1].map((number) => ({
    runId: `${id}-c${number}-s0`,
    number: 1,
    jobId: `${id}-${number}`,
    node: "local",
    folder: "",
  }));
  if (!one || !other) throw new Error("two attempts");
  const createdAt = new Date(Date.now() - 60_000);
  await database.prisma.attempt.create({
    data: { ...one, createdAt, endedAt: new Date(createdAt.getTime() + 20_000), live: false },
  });
  await database.prisma.attempt.create({ data: { ...other, createdAt } });
  const [again] = await sweeps.listSweeps(database);
  // The run has an attempt of 20 seconds, and an attempt that has been running for a minute.
  expect(again?.busyMs).toBeGreaterThanOrEqual(80_000);
});

test("a sweep can be paused, resumed and cancelled, and a cancelled one says no to resume", async () => {
  const id = await create();
  for (const intent of ["pause", "run"] as const) {
    await sweeps.setSweepIntent(database, id, intent);
    expect((await sweeps.readSweep(database, id)).intent).toBe(intent);
  }
  await cancel(database, { kind: "sweep", id }, { by: "Ada" });
  expect(await sweeps.readSweep(database, id)).toMatchObject({ intent: "cancel", cancelledBy: "Ada" });
  await expect(sweeps.setSweepIntent(database, id, "run")).rejects.toMatchObject({ code: "conflict" });
  await expect(sweeps.setSweepIntent(database, "none", "run")).rejects.toMatchObject({ code: "not_found" });
});

test("a retry gives failed runs one more attempt than they used, and says so in their history", async () => {
  const id = await create();
  await expect(sweeps.retryRuns(database, id)).rejects.toMatchObject({ code: "conflict" });
  await setRun(id, 0, { status: "failed" });
  await database.prisma.attempt.create({
    data: { runId: `${id}-c0-s0`, number: 1, jobId: "j", node: "here", folder: "/f", live: false },
  });
  expect(await sweeps.retryRuns(database, id)).toBe(2);
  const run = await database.prisma.run.findUnique({ where: { id: `${id}-c0-s0` }, include: { statusEvents: true } });
  expect(run).toMatchObject({
    status: "pending",
    maxAttempts: 2,
    statusEvents: [{ source: "user", status: "pending" }],
  });
});

test("a sweep with a live job cannot be deleted; without one it goes with its points", async () => {
  const id = await create();
  const attempt = await database.prisma.attempt.create({
    data: { runId: `${id}-c0-s0`, number: 1, jobId: "live", node: "here", folder: "/f" },
  });
  const row = { attemptId: attempt.id, seq: 0, iteration: 1, optimizerStep: 1, atMs: 0, metricIds: [1], values: [1] };
  await database.prisma.metricRow.create({ data: row });
  await expect(sweeps.deleteSweep(database, id)).rejects.toMatchObject({ code: "conflict" });
  await database.prisma.attempt.update({ where: { id: attempt.id }, data: { live: false } });
  await sweeps.deleteSweep(database, id);
  expect(await database.prisma.metricRow.count()).toBe(0);
  await expect(sweeps.readSweep(database, id)).rejects.toMatchObject({ code: "not_found" });
});

test("who listens hears of a new sweep, and of an outage when the connection is back", async () => {
  const notifications = makeNotifications(database.url);
  const stop = new AbortController();
  const heard = notifications.subscribe(stop.signal)[Symbol.asyncIterator]();
  expect((await heard.next()).value).toBeNull();
  const id = await create();
  expect((await heard.next()).value).toEqual({ sweepId: id, kind: "sweep" });
  await database.pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'arlarena-listen' AND datname = current_database()",
  );
  expect((await heard.next()).value).toBeNull();
  stop.abort();
  expect((await heard.next()).done).toBe(true);
  await notifications.close();
});

test("GPUs of a sweep's trainer are what its runs ask of a node", async () => {
  const external = parsePlan(`name: Eight
methods: [grpo]
environments: [{id: sokoban}]
base: {trainer: {name: verl}}
seeds: [0]
`);
  await sweeps.createSweep(database, { plan: external, expansion: { ...expandPlan(external), gpusPerRun: 8 } });
  const [run] = await readOpenRuns(database, { isRoom: true });
  expect(run?.demand).toMatchObject({ slots: 1, gpus: 8 });
});
