import { afterAll, beforeEach, expect, it } from "vitest";
import { cancel, takeBackCancel } from "./cancellations.ts";
import { readOpenRuns } from "./decisions.ts";
import { listSweeps, retryRuns, setSweepIntent } from "../plan/sweeps.ts";
import { insertSweep } from "../testing/insertRun.ts";
import { makeTestDatabase } from "../testing/testDatabase.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());

beforeEach(async () => {
  await database.prisma.sweep.deleteMany({});
  await insertSweep(database, "night", ["live", "waits"]);
  await database.prisma.run.update({ where: { id: "live" }, data: { status: "running" } });
});

const sweep = { kind: "sweep", id: "night" } as const;
const run = { kind: "run", id: "live" } as const;
const held = { by: "Ada", undoSeconds: 10 };

/** Reads unfinished runs as the orchestrator does, and adds for each run if it may start now. */
async function judged() {
  const runs = await readOpenRuns(database, { isRoom: true });
  return runs.map(({ runId, intent, sweepIntent, cancelledBy, demand }) => {
    const mayStart = demand.notBeforeMs <= Date.now();
    return [runId, intent, sweepIntent, cancelledBy, mayStart];
  });
}

const read = async () => (await listSweeps(database))[0];

/** Simulates the end of an undo period. */
async function letPass() {
  for (const table of ["sweep", "run"])
    await database.pool.query(`UPDATE ${table} SET cancel_at = now() - interval '1 s'`);
}

it("a cancelled sweep is held for as long as it can be taken back: its runs go on and none starts", async () => {
  await cancel(database, sweep, held);
  expect(await read()).toMatchObject({ intent: "cancel", cancelledBy: "Ada" });
  expect(await judged()).toEqual([["live", "run", "pause", "Ada", true]]);
  await letPass();
  expect(await judged()).toEqual([
    ["live", "run", "cancel", "Ada", true],
    ["waits", "run", "cancel", "Ada", true],
  ]);
});

it("what was taken back goes on as before, a paused sweep paused", async () => {
  await cancel(database, sweep, held);
  await takeBackCancel(database, sweep);
  expect(await read()).toMatchObject({ intent: "run", cancelledBy: null, cancelAt: null });
  await setSweepIntent(database, "night", "pause");
  await cancel(database, sweep, held);
  await cancel(database, sweep, { by: "Bob" });
  expect(await read(), "the first order counts").toMatchObject({ cancelledBy: "Ada" });
  await takeBackCancel(database, sweep);
  expect((await read())?.intent).toBe("pause");
});

it("what is being carried out cannot be taken back; programs do not wait", async () => {
  await expect(takeBackCancel(database, sweep)).rejects.toMatchObject({ code: "conflict" });
  await cancel(database, sweep, { by: "token ci" });
  expect((await judged())[0]).toEqual(["live", "run", "cancel", "token ci", true]);
  await expect(takeBackCancel(database, sweep)).rejects.toThrow(/retry its runs/);
});

it("a run is held like its sweep, and its history says what was asked for", async () => {
  await cancel(database, run, held);
  await cancel(database, { kind: "run", id: "waits" }, held);
  expect(await judged()).toEqual([
    ["live", "run", "run", "Ada", false],
    ["waits", "run", "run", "Ada", false],
  ]);
  await takeBackCancel(database, run);
  const events = await database.prisma.statusEvent.findMany({ where: { runId: "live" }, orderBy: { id: "asc" } });
  expect(events.map(({ text }) => text)).toEqual(["cancellation asked for", "cancellation taken back"]);
  await letPass();
  expect(await judged()).toEqual([
    ["live", "run", "run", null, true],
    ["waits", "cancel", "run", "Ada", true],
  ]);
});

it("a retry forgets who cancelled; what is over or elsewhere is not cancelled", async () => {
  await cancel(database, sweep, { by: "Ada" });
  await database.prisma.run.updateMany({ data: { status: "cancelled" } });
  await expect(cancel(database, run, held)).rejects.toThrow("run live is over (cancelled)");
  await retryRuns(database, "night");
  expect(await read()).toMatchObject({ intent: "run", cancelledBy: null });
  await database.prisma.sweep.update({ where: { id: "night" }, data: { origin: "import" } });
  await expect(cancel(database, sweep, held)).rejects.toThrow(/another trainer/);
  await expect(cancel(database, { kind: "run", id: "gone" }, held)).rejects.toMatchObject({ code: "not_found" });
});
