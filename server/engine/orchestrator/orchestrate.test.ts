import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { startAttempt } from "#server/db/fleet/decisions.ts";
import { readSeries } from "#server/db/runs/points.ts";
import { insertSweep } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { thisMachine } from "#server/domain/fleet/nodes/node.ts";
import { type Launcher, toJobId } from "#server/engine/launchers/launcher.ts";
import { makeLocalLauncher } from "#server/engine/launchers/local.ts";
import { type FakeTrainer, writeFakeTrainer } from "#server/engine/launchers/testing/fakeTrainer.ts";
import { RunSpec } from "#trainer/spec/run.ts";
import { orchestrate, type Settings } from "./orchestrate.ts";
import { expectStoredEqualsLog } from "./testing/expectStoredEqualsLog.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());

const stops: (() => Promise<void>)[] = [];
let folder = "";
let numTests = 0;
let sweepId = "";
let runIds: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "arlarena-orchestrator-"));
  sweepId = `sweep${++numTests}`;
  runIds = [1, 2, 3].map((i) => `${sweepId}-run${i}`);
});
afterEach(async () => {
  await database.prisma.sweep.updateMany({ data: { intent: "cancel" } });
  await untilOver();
  for (const stop of stops.splice(0)) await stop();
  await rm(folder, { recursive: true, force: true });
});

describe("the orchestrator", () => {
  it("takes runs from pending to finished, no more at once than there are slots", async () => {
    await insertSweep(database, sweepId, runIds);
    const launcher = await makeLauncher({ iterations: 30, everyMs: 5 });
    start(launcher, { slots: 2 });
    await untilOver();
    expect(await countMostLive()).toBe(2);
    expect(await readRuns()).toEqual(
      runIds.map((id) => ({ id, status: "finished", reason: "completed", latestIteration: 30 })),
    );
    await expectStoredEqualsLog(database, launcher);
    const events = await database.prisma.statusEvent.findMany({
      where: { runId: runIds[0] ?? "" },
      orderBy: { id: "asc" },
    });
    // A short job may end before it is observed as running.
    const history = events
      .map(({ source, status }) => `${source} ${status}`)
      .filter((text) => !text.endsWith("running"));
    expect(history).toEqual(["orchestrator starting", "orchestrator finished"]);
    expect(await database.prisma.metricRow.count(), "all compacted").toBe(0);
  });

  it("shows points while their run goes on", async () => {
    await insertSweep(database, sweepId, runIds.slice(0, 1));
    const gate = join(folder, "shown");
    start(await makeLauncher({ iterations: 20, everyMs: 1, holds: { 10: gate } }));
    await untilTrained(10);
    const [series] = await readSeries(database.pool, { runIds, keys: ["policy/entropy"] });
    expect([...(series?.iterations ?? [])]).toEqual(Array.from({ length: 10 }, (_, i) => i + 1));
    await writeFile(gate, "");
    await untilOver();
  });

  it("says why a run failed", async () => {
    await insertSweep(database, sweepId, runIds.slice(0, 1));
    start(await makeLauncher({ iterations: 2, everyMs: 1, crashWith: 1 }));
    await untilOver();
    expect(await readRuns()).toMatchObject([{ status: "failed", reason: "exit_code", latestIteration: 2 }]);
  });

  it("fails a run whose stored spec is not one, and says what is wrong with it", async () => {
    await insertSweep(database, sweepId, runIds.slice(0, 1));
    await database.prisma.cell.updateMany({ where: { sweepId }, data: { spec: { method: "magic" } } });
    start(await makeLauncher({ iterations: 2, everyMs: 1 }), { resubmitAfterMs: 100 });
    await untilOver();
    expect(await readRuns()).toMatchObject([{ status: "failed", reason: "spec_refused" }]);
    expect((await database.prisma.statusEvent.findMany({ where: { runId: runIds[0] ?? "" } })).at(-1)?.text).toContain(
      "method",
    );
  });

  it("cancels what runs and what waits, and keeps what was measured", async () => {
    await insertSweep(database, sweepId, runIds);
    const launcher = await makeLauncher({ iterations: 1000, everyMs: 20 });
    start(launcher, { slots: 1 });
    await untilTrained(5);
    await database.prisma.sweep.update({ where: { id: sweepId }, data: { intent: "cancel" } });
    await untilOver();
    expect((await readRuns()).map(({ status, reason }) => [status, reason])).toEqual(
      runIds.map(() => ["cancelled", "cancelled_by_user"]),
    );
    expect(await database.prisma.attempt.count({ where: { run: { sweepId } } }), "one had started").toBe(1);
    await expectStoredEqualsLog(database, launcher);
  });

  it("adopts a job that a predecessor started, and starts one that it only recorded", async () => {
    await insertSweep(database, sweepId, runIds.slice(0, 2));
    const launcher = await makeLauncher({ iterations: 20, everyMs: 10 });
    const [started = "", recorded = ""] = runIds;
    for (const runId of [started, recorded]) {
      const jobId = toJobId(runId, 1);
      const place = { node: "local", folder: launcher.folderOf(jobId), devices: ["0"], slots: ["0"] };
      await startAttempt(database, { runId, number: 1, jobId, ...place, ...(runId === recorded && { devices: [] }) });
    }
    await launcher.launch({ jobId: toJobId(started, 1), spec: await readSpec(started), devices: [] });
    start(launcher, { resubmitAfterMs: 200 });
    await untilOver();
    expect(await readRuns()).toMatchObject([{ status: "finished" }, { status: "finished" }]);
    expect(await database.prisma.attempt.count({ where: { run: { sweepId } } })).toBe(2);
    await expectStoredEqualsLog(database, launcher);
  });

  it("tries a killed run again; the new attempt's points replace the old one's", async () => {
    await insertSweep(database, sweepId, runIds.slice(0, 1));
    const gate = join(folder, "killed");
    const launcher = await makeLauncher({ iterations: 60, everyMs: 20, holds: { 10: gate } });
    start(launcher, { graceMs: 300 });
    await untilTrained(10);
    const identity = await readFile(join(launcher.folderOf(toJobId(runIds[0] ?? "", 1)), "pid.json"), "utf8");
    process.kill(-Number(/"pid":(\d+)/.exec(identity)?.[1]), "SIGKILL");
    await writeFile(gate, "");
    await untilOver();
    expect(await readRuns()).toMatchObject([{ status: "finished" }]);
    const attempts = await database.prisma.attempt.findMany({
      where: { run: { sweepId } },
      orderBy: { number: "asc" },
    });
    expect(attempts.map(({ jobState, exitCode }) => [jobState, exitCode])).toEqual([
      ["lost", null],
      ["exited", 0],
    ]);
    await expectStoredEqualsLog(database, launcher);
    const [series] = await readSeries(database.pool, { runIds, keys: ["policy/entropy"] });
    expect([...(series?.iterations ?? [])]).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
  });

  it("lets a second orchestrator wait and take over", async () => {
    await insertSweep(database, sweepId, runIds);
    const gate = join(folder, "taken over");
    const launcher = await makeLauncher({ iterations: 20, everyMs: 10, holds: { 1: gate } });
    const said: string[] = [];
    const first = start(launcher, { slots: 1, log: (text) => said.push(`first ${text}`) });
    await untilTrained(1);
    start(launcher, { slots: 1, log: (text) => said.push(`second ${text}`) });
    await sleep(300);
    expect(said).toEqual(["first acting with 1 slots"]);
    await first();
    while (said.length < 2) await sleep(20);
    await writeFile(gate, "");
    await untilOver();
    expect(said).toEqual(["first acting with 1 slots", "second acting with 1 slots"]);
    await expectStoredEqualsLog(database, launcher);
    expect(await database.prisma.attempt.count({ where: { run: { sweepId } } })).toBe(3);
  });

  it("cannot record a second live attempt of a run, whoever asks", async () => {
    await insertSweep(database, sweepId, runIds.slice(0, 1));
    const [runId = ""] = runIds;
    const attempt = (number: number) => ({ runId, number, jobId: toJobId(runId, number), node: "local", folder: "" });
    const lease = { devices: ["0"], slots: ["0"] };
    const outcomes = await Promise.all(
      [1, 2, 1, 2].map((number) => startAttempt(database, { ...attempt(number), ...lease }).catch(() => undefined)),
    );
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    await expect(database.prisma.attempt.create({ data: attempt(3) })).rejects.toThrow(/[Uu]nique/);
    await database.prisma.run.update({ where: { id: runId }, data: { status: "cancelled" } });
    await database.prisma.attempt.updateMany({ where: { runId }, data: { live: false } });
  });
});

function start(launcher: Launcher, { slots = 3, ...settings }: Partial<Settings> & { slots?: number } = {}) {
  const abort = new AbortController();
  const nodes = [{ node: thisMachine(slots), launcher }];
  const quick = { tickMs: 50, graceMs: 200, log: () => {} };
  const running = orchestrate({ databaseUrl: database.url, nodes, ...quick, ...settings }, abort.signal);
  const stop = async () => {
    abort.abort();
    await running;
  };
  stops.push(stop);
  return stop;
}

async function makeLauncher(behaviour: FakeTrainer): Promise<Launcher> {
  const command = [process.execPath, await writeFakeTrainer(folder, behaviour)];
  return makeLocalLauncher({ runsFolder: join(folder, "runs"), command });
}

async function readSpec(runId: string): Promise<RunSpec> {
  const run = await database.prisma.run.findUniqueOrThrow({ where: { id: runId }, include: { cell: true } });
  return RunSpec.parse({ ...Object(run.cell.spec), v: 1, seed: run.seed });
}

function readRuns() {
  const select = { id: true, status: true, reason: true, latestIteration: true };
  return database.prisma.run.findMany({ where: { sweepId }, select, orderBy: { id: "asc" } });
}

async function isOpen(): Promise<boolean> {
  return (await readRuns()).some(({ status }) => !["finished", "failed", "cancelled"].includes(status));
}

/** Maximum number of concurrent attempts. At each attempt's start, live attempts are counted, including the new one. */
async function countMostLive(): Promise<number> {
  const attempts = await database.prisma.attempt.findMany({ where: { run: { sweepId } } });
  const counts = attempts.map(({ createdAt: now }) => {
    const isThere = (attempt: (typeof attempts)[number]) =>
      attempt.createdAt <= now && (attempt.endedAt === null || attempt.endedAt > now);
    return attempts.filter(isThere).length;
  });
  return Math.max(...counts);
}

async function untilOver(): Promise<void> {
  for (let i = 0; (await isOpen()) && i < 6000; i++) await sleep(20);
  expect(await isOpen(), JSON.stringify(await readRuns())).toBe(false);
}

async function untilTrained(iterations: number): Promise<void> {
  while (!(await readRuns()).some(({ latestIteration }) => latestIteration >= iterations)) await sleep(20);
}
