import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { makeNotifications, type Notifications } from "#server/db/storage/notifications.ts";
import { readPlannedRuns } from "#server/db/fleet/costs.ts";
import { saveNodes } from "#server/db/fleet/nodes.ts";
import { createSweep } from "#server/db/plan/sweeps.ts";
import { makeTestDatabase, type TestDatabase } from "#server/db/testing/testDatabase.ts";
import { thisMachine } from "#server/domain/fleet/nodes/node.ts";
import { estimateRunSeconds } from "#server/domain/plan/sweep/estimate/estimate.ts";
import { expandPlan } from "#server/domain/plan/sweep/expand/expand.ts";
import { checkPlan } from "#server/domain/plan/sweep/plan.ts";
import { createCaller } from "../root.ts";
import { makeAnalystHere } from "../testing/analystHere.ts";

let database: TestDatabase;
let notifications: Notifications;
let caller: ReturnType<typeof createCaller>;
let runIds: string[] = [];
const nowMs = Date.now();
const hoursAgo = (n: number) => new Date(nowMs - 3_600_000 * n);
const plan = checkPlan({
  name: "Night",
  methods: ["grpo", "gspo"],
  environments: [{ id: "sokoban" }],
  base: { budget: { iterations: 100 } },
  seeds: [0, 1, 2],
});
const expansion = expandPlan(plan);

beforeAll(async () => {
  database = await makeTestDatabase();
  notifications = makeNotifications(database.url);
  caller = createCaller({
    database,
    notifications,
    analyst: makeAnalystHere(database),
    caller: { kind: "session", isSameOrigin: true, person: null },
  });
  const { prisma } = database;
  const news = { lastContactAtMs: null, problem: null, gpus: null, disk: null };
  await saveNodes(database, [{ ...news, node: { ...thisMachine(2), pricePerSlotHour: 3 } }]);
  await createSweep(database, { plan, expansion, launchedBy: "Ada" });
  await prisma.sweep.updateMany({ data: { slotsPerRun: 2 } });
  runIds = (await prisma.run.findMany({ orderBy: [{ cellId: "asc" }, { seed: "asc" }] })).map(({ id }) => id);
  // GRPO has one complete run within an hour, one run resumed from iteration 40 after it had reached 60, and one run
  // that has not begun.
  await logAttempt(0, { number: 1, hours: [6, 5], first: 1, iteration: 100 });
  await logAttempt(1, { number: 1, hours: [6, 5], first: 1, iteration: 60 });
  await database.pool.query(
    `INSERT INTO metric_row SELECT a.id, 0, 60, 0, 0, '{}', '{}' FROM attempt a WHERE run_id = $1`,
    [runIds[1]],
  );
  await logAttempt(1, { number: 2, hours: [4, 3], first: 41, iteration: 100 });
  // GSPO has one failed run.
  await logAttempt(3, { number: 1, hours: [2, 1], first: 1, iteration: 10, status: "failed" });
});
afterAll(async () => {
  await notifications.close();
  await database.close();
});

type Logged = { number: number; hours: [number, number]; first: number; iteration: number; status?: string };

/** An attempt that was queued for half an hour. `hours`: its first line and its end, in hours before now. */
async function logAttempt(run: number, { number, hours, first, iteration, status = "finished" }: Logged) {
  const runId = runIds[run] ?? "";
  const [from, to] = hours;
  const reason = status === "finished" ? "completed" : "crashed";
  const started = { firstIteration: first, atMs: hoursAgo(from).getTime() };
  const job = { runId, number, jobId: `${runId}.${number}`, node: "local", folder: "", live: false, reason };
  const times = { createdAt: hoursAgo(from + 0.5), endedAt: hoursAgo(to), numMetricLines: iteration };
  await database.prisma.attempt.create({ data: { ...job, ...times, started } });
  const data = { status, reason, latestIteration: iteration, endedAt: hoursAgo(to) };
  await database.prisma.run.update({ where: { id: runId }, data });
}

it("adds up what was used, done again and is left", async () => {
  const { rows, total } = await caller.cost.table({ by: "method" });
  expect(rows.map(({ title }) => title)).toEqual(["GRPO", "GSPO"]);
  const [grpo, gspo] = rows;
  expect(grpo).toMatchObject({ numRuns: 2, used: { slotHours: 6, cost: 18 }, queuedHours: 3 });
  // Twenty of the sixty iterations were repeated, that is, a third of one hour on two slots.
  expect(grpo?.again.slotHours).toBeCloseTo(2 / 3, 6);
  expect(gspo?.again).toEqual({ slotHours: 2, cost: 6 });
  // For GRPO, 100 iterations remain, at 6 slot-hours per 220; for GSPO 200, at 2 slot-hours per 10.
  expect(grpo?.left?.slotHours).toBeCloseTo((6 / 220) * 100, 6);
  expect(gspo?.left?.slotHours).toBeCloseTo((2 / 10) * 200, 6);
  expect(gspo?.left?.cost).toBeCloseTo(3 * 40, 6);
  expect(total.used).toEqual({ slotHours: 8, cost: 24 });
  expect(total.left?.cost).toBeCloseTo((grpo?.left?.cost ?? 0) + (gspo?.left?.cost ?? 0), 6);
});

it("adds up by who launched, also where nobody was known by name", async () => {
  await database.prisma.sweep.create({ data: { id: "old", name: "Old", plan: {}, planHash: "" } });
  const spec = expansion.cells[0]?.spec ?? expect.fail("no cell");
  const cell = { sweepId: "old", index: 0, method: "GRPO", label: "", spec, specHash: "" };
  await database.prisma.cell.create({ data: { ...cell, runs: { create: { id: "o0", sweepId: "old", seed: 0 } } } });
  const { rows } = await caller.cost.table({ by: "person" });
  expect(rows.map(({ key, title, used }) => [key, title, used])).toEqual([
    ["Ada", "Ada", { slotHours: 8, cost: 24 }],
    ["", "No person recorded", { slotHours: 0, cost: 0 }],
  ]);
  await database.prisma.sweep.delete({ where: { id: "old" } });
});

it("says what is used of the budgets of their file, and what is wrong with the file", async () => {
  const home = await mkdtemp(join(tmpdir(), "arlarena-budgets-"));
  vi.stubEnv("ARLARENA_HOME", home);
  try {
    expect(await caller.cost.budgets()).toEqual({ lines: [], problem: null });
    await writeFile(join(home, "budgets.yaml"), "budgets: [{ name: Lab, person: Ada, money: 48, runs: 2, days: 30 }]");
    const { lines } = await caller.cost.budgets();
    const line = { name: "Lab", key: "Ada", title: "Ada", days: 30 };
    expect(lines).toEqual([
      { ...line, unit: "runs", limit: 2, used: 3 },
      { ...line, unit: "money", limit: 48, used: 24 },
    ]);
    await writeFile(join(home, "budgets.yaml"), "budgets: [{ name: Lab, runs: many }]");
    expect((await caller.cost.budgets()).problem).toMatch(/budgets\.yaml: budgets\.0\.runs: .*expected number/);
  } finally {
    vi.unstubAllEnvs();
    await rm(home, { recursive: true });
  }
});

it("costs what the table of runs says", async () => {
  const view = { filter: "", columns: ["cost"], order: [], offset: 0, limit: 100 };
  const { rows } = await caller.runTable.rows(view);
  const sum = rows.reduce((all, { values }) => all + Number(values[0] ?? 0), 0);
  const [sweep] = (await caller.cost.table({})).rows;
  expect(sweep?.title).toBe("Night");
  expect(sweep?.used.cost).toBeCloseTo(sum, 6);
});

it("leaves out attempts of another time, of recorded studies, and what somebody cancelled", async () => {
  const { prisma } = database;
  await prisma.attempt.updateMany({ where: { runId: runIds[0] ?? "" }, data: { createdAt: hoursAgo(24 * 40) } });
  expect((await caller.cost.table({ days: 30 })).total.used.slotHours).toBeCloseTo(6, 6);
  await prisma.attempt.updateMany({ where: { runId: runIds[0] ?? "" }, data: { createdAt: hoursAgo(6.5) } });
  await prisma.attempt.updateMany({ where: { runId: runIds[3] ?? "" }, data: { jobState: "elsewhere" } });
  expect((await caller.cost.table({ by: "node" })).rows).toMatchObject([
    { key: "local", used: { slotHours: 6 }, left: null },
  ]);
  await prisma.attempt.updateMany({ data: { jobState: "submitted" } });
  await prisma.sweep.updateMany({ data: { intent: "cancel" } });
  expect((await caller.cost.table({})).total.left).toEqual({ slotHours: 0, cost: 0 });
  await prisma.sweep.updateMany({ data: { intent: "run" } });
});

it("knows no price of what is left where nodes differ and nothing was used yet", async () => {
  const { prisma } = database;
  await prisma.sweep.create({ data: { id: "new", name: "New", plan: {}, planHash: "" } });
  const spec = expansion.cells[0]?.spec ?? expect.fail("no cell");
  const cell = { sweepId: "new", index: 0, method: "GRPO", label: "", spec, specHash: "" };
  await prisma.cell.create({ data: { ...cell, runs: { create: { id: "n0", sweepId: "new", seed: 0 } } } });
  const left = async () => (await caller.cost.table({})).rows.find(({ key }) => key === "new")?.left;
  const hours = estimateRunSeconds(spec) / 3600;
  expect(await left()).toEqual({
    slotHours: expect.closeTo(hours, 6) as number,
    cost: expect.closeTo(3 * hours, 6) as number,
  });
  const { node } = (await caller.nodes.list())[0] ?? expect.fail("no node");
  const news = { lastContactAtMs: null, problem: null, gpus: null, disk: null };
  await saveNodes(database, [
    { ...news, node },
    { ...news, node: { ...node, name: "dear", pricePerSlotHour: 9 } },
  ]);
  expect(await left()).toEqual({ slotHours: expect.closeTo(hours, 6) as number, cost: null });
  await prisma.sweep.delete({ where: { id: "new" } });
});

it("measures estimates by runs of one attempt alone", async () => {
  const spec = expansion.cells[0]?.spec ?? expect.fail("no cell");
  const ratio = expect.closeTo(3600 / estimateRunSeconds(spec), 6) as number;
  const numbers = { numRuns: 1, median: ratio, low: ratio, high: ratio };
  const { calibrations, prices } = await caller.cost.basis();
  expect(calibrations).toEqual([{ environment: "sokoban", size: spec.policy.size, ...numbers }]);
  expect(prices).toEqual({ low: 3, high: 9 });
});

it("stores a price in the nodes file and shows it at once; refuses what is no price and no node", async () => {
  const home = await mkdtemp(join(tmpdir(), "arlarena-prices-"));
  vi.stubEnv("ARLARENA_HOME", home);
  try {
    const before = (await caller.cost.table({})).total.used;
    await caller.cost.setPrice({ name: "local", price: 0.5 });
    expect(await readFile(join(home, "nodes.yaml"), "utf8")).toContain("pricePerSlotHour: 0.5");
    expect((await caller.cost.table({})).total.used.cost).toBeCloseTo(before.slotHours / 2, 6);
    expect((await caller.nodes.list()).find(({ node }) => node.name === "local")?.node.pricePerSlotHour).toBe(0.5);
    await caller.cost.setPrice({ name: "local", price: null });
    expect((await caller.cost.table({})).total.used).toEqual({ slotHours: before.slotHours, cost: null });
    await expect(caller.cost.setPrice({ name: "local", price: -1 })).rejects.toThrow("price");
    await expect(caller.cost.setPrice({ name: "nowhere", price: 1 })).rejects.toThrow("no node “nowhere”");
    expect(JSON.stringify(await caller.changes.list({}))).toContain("Changed the price of the node local");
  } finally {
    vi.unstubAllEnvs();
    await rm(home, { recursive: true });
  }
});

it("measures the speed of finished runs by their time, and of runs in progress by their logged iterations", async () => {
  const [sweep] = await database.prisma.sweep.findMany({ where: { name: "Night" } });
  const id = sweep?.id ?? "";
  const runId = runIds[4] ?? "";
  const speed = async () => (await caller.sweep.plannedPace({ id }))?.speed ?? Number.NaN;
  expect(await speed(), "no run finished recently").toBeNaN();
  await database.prisma.attempt.updateMany({
    where: { run: { sweepId: id, status: "finished" } },
    data: { endedAt: new Date() },
  });
  expect(await speed()).toBeGreaterThan(0);
  const job = { runId, number: 1, jobId: `${runId}.1`, node: "local", folder: "", live: true };
  const { id: attemptId } = await database.prisma.attempt.create({ data: job });
  const data = { status: "running", latestIteration: 21 };
  await database.prisma.run.update({ where: { id: runId }, data });
  const logEach = (ms: number) =>
    database.pool.query(
      `INSERT INTO metric_row SELECT $1, i, i, i, i * $2::float8, '{}', '{}' FROM generate_series(1, 21) AS i
       ON CONFLICT (attempt_id, seq) DO UPDATE SET at_ms = excluded.at_ms`,
      [attemptId, ms],
    );
  const speeds: number[] = [];
  for (const ms of [1000, 3000, 5000]) {
    await logEach(ms);
    speeds.push(await speed());
  }
  const [once = Number.NaN, thrice = Number.NaN, fiveTimes = Number.NaN] = speeds;
  expect(thrice).toBeGreaterThan(once);
  expect(fiveTimes - thrice, "linear in the time of an iteration").toBeCloseTo(thrice - once, 9);
  const launchedAgo = { createdAt: new Date(Date.now() - 200_000), endedAt: new Date(Date.now() - 100_000) };
  await database.prisma.attempt.updateMany({ where: { run: { sweepId: id } }, data: launchedAgo });
  await database.prisma.attempt.update({ where: { id: attemptId }, data: { endedAt: null } });
  const steady = await speed();
  const faster = "UPDATE metric_row SET at_ms = seq * 1000 + 40000 WHERE attempt_id = $1 AND seq < 10";
  await database.pool.query(faster, [attemptId]);
  expect(await speed(), "of the last quarter of the sweep's time").toBeCloseTo(steady, 9);
  const wasLive = async (changes: { createdAt?: Date; endedAt?: Date; live?: boolean }) => {
    await database.prisma.attempt.update({ where: { id: attemptId }, data: changes });
    return (await readPlannedRuns(database.pool, id)).filter((run) => run.wasLive).length;
  };
  const ago = (ms: number) => new Date(Date.now() - ms);
  expect(await wasLive({ createdAt: ago(0) }), "launched just now").toBe(0);
  expect(await wasLive({ createdAt: ago(3_600_000) })).toBe(1);
  expect(await wasLive({ endedAt: ago(0), live: false }), "ended just now").toBe(1);
  expect(await wasLive({ endedAt: ago(600_000) })).toBe(0);
});
