import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "#prisma/migrate.ts";
import { type Database, makeDatabase } from "#server/db/client.ts";
import { makePostgres, type Postgres } from "#server/db/embedded/postgres.ts";
import { readSeries } from "#server/db/points.ts";
import { insertSweep } from "#server/db/testing/insertRun.ts";
import { makeLocalLauncher } from "#server/launchers/local.ts";
import { writeFakeTrainer } from "#server/launchers/testing/fakeTrainer.ts";
import { RunEvent } from "#trainer/spec/event.ts";
import { split } from "#trainer/spec/rng.ts";
import { expectStoredEqualsLog } from "./testing/expectStoredEqualsLog.ts";

/** Two minutes of faults where everything is tested; a taste of it at a developer's desk. */
const isLong = process.env["CI"] !== undefined || process.env["ARLARENA_CHAOS"] !== undefined;
const chaosMs = isLong ? 120_000 : 10_000;
const numRuns = 12;
const iterations = isLong ? 350 : 60;
const graceMs = 30_000;

type Victim = "orchestrator" | "trainer" | "wrapper" | "job" | "postgres";
// Without its wrapper a job leaves no exit code, and counts as lost only when a grace period has passed.
const quick: readonly Victim[] = ["orchestrator", "trainer", "postgres"];
const slow: readonly Victim[] = ["wrapper", "job", "trainer", "wrapper", "job", "trainer"];
const victims = isLong ? [...quick, ...slow] : quick;

describe.skipIf(!existsSync("/proc/self/task"))("in chaos (needs /proc to find its victims)", () => {
  let home = "";
  let bundle = "";
  let postgres: Postgres;
  let database: Database;
  let orchestrator: ChildProcess | undefined;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "arlarena-chaos-"));
    postgres = await makePostgres({ home, isDurable: true });
    await migrate(postgres.url);
    database = makeDatabase(postgres.url);
    bundle = await writeFakeTrainer(home, { iterations, everyMs: 100, numKeys: 20, resumes: true });
  });
  afterAll(async () => {
    await killOrchestrator();
    await database.close();
    await postgres.close();
    await rm(home, { recursive: true, force: true });
  });

  it("twelve runs outlive kill -9 of everything that has a part in them; every logged point is stored once", async () => {
    const rng = split(Number(process.env["ARLARENA_CHAOS_SEED"] ?? 1), "chaos");
    const runIds = Array.from({ length: numRuns }, (_, i) => `run${i}`);
    await insertSweep(database, "sweep", runIds);
    // Faults of the machine are repeated as often as somebody allows.
    await database.prisma.run.updateMany({ data: { maxAttempts: 200 } });
    orchestrator = start();
    const counts = new Map<Victim, number>();
    const countFaults = () => [...counts.values()].reduce((sum, count) => sum + count, 0);
    // So many at least, however long each takes.
    for (const endMs = Date.now() + chaosMs; Date.now() < endMs || countFaults() < 4;) {
      await sleep(500 + rng.next() * 2500);
      const victim = victims[rng.int(victims.length)] ?? "orchestrator";
      if (await strike(victim, (count) => rng.int(count))) counts.set(victim, (counts.get(victim) ?? 0) + 1);
    }
    await until(async () => (await countFinished()) === numRuns, 480_000);
    await killOrchestrator();

    await expectStoredEqualsLog(database, makeLocalLauncher({ runsFolder: join(home, "runs"), command: [] }));
    for (const runId of runIds) await expectOneLife(runId);
    const series = await readSeries(database.pool, { runIds, keys: ["policy/entropy"] });
    const all = Array.from({ length: iterations }, (_, i) => i + 1);
    expect(series.map((one) => [...one.iterations])).toEqual(runIds.map(() => all));
    const numAttempts = await database.prisma.attempt.count();
    const said = [...counts].map(([victim, count]) => `${count} × ${victim}`).join(", ");
    console.log(`survived ${countFaults()} faults (${said}): ${numRuns} runs finished in ${numAttempts} attempts`);
    expect(countFaults()).toBeGreaterThan(3);
  }, 900_000);

  it.skipIf(!isLong)(
    "declares no healthy run dead after a stop longer than every grace period (needs CI or ARLARENA_CHAOS: it takes minutes)",
    async () => {
      const runIds = ["frozen0", "frozen1"];
      await database.prisma.sweep.deleteMany();
      await insertSweep(database, "frozen", runIds);
      orchestrator = start();
      await until(async () => (await database.prisma.run.count({ where: { status: "running" } })) === 2, 120_000);
      orchestrator.kill("SIGSTOP");
      await sleep(graceMs + 5000);
      orchestrator.kill("SIGCONT");
      await until(async () => (await countFinished()) === 2, 240_000);
      await killOrchestrator();
      expect(await database.prisma.attempt.count({ where: { run: { sweepId: "frozen" } } })).toBe(2);
      await expectStoredEqualsLog(database, makeLocalLauncher({ runsFolder: join(home, "runs"), command: [] }));
    },
    600_000,
  );

  function start(): ChildProcess {
    const main = fileURLToPath(new URL("main.ts", import.meta.url));
    const env = {
      ...process.env,
      DATABASE_URL: postgres.url,
      ARLARENA_HOME: home,
      ARLARENA_NODES: "",
      ARLARENA_TRAINER_BUNDLE: bundle,
      ARLARENA_SLOTS: "6",
    };
    const child = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), main], { env, stdio: "ignore" });
    return child;
  }

  async function killOrchestrator(): Promise<void> {
    const child = orchestrator;
    orchestrator = undefined;
    if (child?.kill("SIGKILL") === true) await once(child, "exit");
  }

  /** True when there was somebody to kill. What a supervisor would start again is started again. */
  async function strike(victim: Victim, choose: (count: number) => number): Promise<boolean> {
    switch (victim) {
      case "orchestrator":
        await killOrchestrator();
        orchestrator = start();
        return true;
      case "postgres":
        await database.close();
        process.kill(postgres.pid, "SIGKILL");
        await sleep(300);
        postgres = await makePostgres({ home, isDurable: true });
        database = makeDatabase(postgres.url);
        return true;
      case "trainer":
      case "wrapper":
      case "job": {
        const live = await database.prisma.attempt.findMany({ where: { live: true }, orderBy: { id: "asc" } });
        const attempt = live[live.length === 0 ? 0 : choose(live.length)];
        return attempt !== undefined && killPart(attempt.folder, victim);
      }
    }
  }

  async function countFinished(): Promise<number> {
    return await database.prisma.run.count({ where: { status: "finished" } });
  }

  /** No two attempts of a run wrote at the same time, and never two are live. */
  async function expectOneLife(runId: string): Promise<void> {
    const attempts = await database.prisma.attempt.findMany({ where: { runId }, orderBy: { number: "asc" } });
    expect(attempts.filter(({ live }) => live)).toEqual([]);
    const spans = attempts.flatMap(({ folder }) => {
      const path = join(folder, "events.jsonl");
      const lines = existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
      const times = lines.map((line) => RunEvent.parse(JSON.parse(line)).atMs);
      return times.length === 0 ? [] : [{ from: times[0] ?? 0, to: times.at(-1) ?? 0 }];
    });
    for (const [i, { from }] of spans.entries()) expect(from, runId).toBeGreaterThan(spans[i - 1]?.to ?? 0);
  }

  async function until(isSo: () => Promise<boolean>, withinMs: number): Promise<void> {
    const endMs = Date.now() + withinMs;
    while (!(await isSo())) {
      if (Date.now() > endMs) {
        const where = { status: { not: "finished" } };
        const runs = await database.prisma.run.findMany({ where, include: { statusEvents: true, attempts: true } });
        throw new Error(
          JSON.stringify(runs, (_, value: unknown) => (typeof value === "bigint" ? Number(value) : value)),
        );
      }
      await sleep(200);
    }
  }
});

/** kill -9 of a job's wrapper, of its trainer, or of the whole group. */
function killPart(folder: string, part: "trainer" | "wrapper" | "job"): boolean {
  const path = join(folder, "pid.json");
  const leader = existsSync(path) ? Number(/"pid":(\d+)/.exec(readFileSync(path, "utf8"))?.[1]) : 0;
  if (leader <= 1 || existsSync(join(folder, "exit"))) return false;
  try {
    if (part === "job") return process.kill(-leader, "SIGKILL");
    if (part === "wrapper") return process.kill(leader, "SIGKILL");
    const [child] = readFileSync(`/proc/${leader}/task/${leader}/children`, "utf8").trim().split(" ");
    return child !== undefined && child !== "" && process.kill(Number(child), "SIGKILL");
  } catch {
    return false;
  }
}
