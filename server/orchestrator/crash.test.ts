import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { migrate } from "#prisma/migrate.ts";
import { type Database, makeDatabase } from "#server/db/client.ts";
import { makePostgres, type Postgres } from "#server/db/embedded/postgres.ts";
import { insertSweep } from "#server/db/testing/insertRun.ts";
import { makeLocalLauncher } from "#server/launchers/local.ts";
import { writeFakeTrainer } from "#server/launchers/testing/fakeTrainer.ts";
import { expectStoredEqualsLog } from "./testing/expectStoredEqualsLog.ts";

let home = "";
let bundle = "";
let postgres: Postgres;
let orchestrator: ChildProcess | undefined;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "arlarena-crash-"));
  postgres = await makePostgres({ home, isDurable: true });
  await migrate(postgres.url);
  bundle = await writeFakeTrainer(home, { iterations: 600, everyMs: 20, numKeys: 40 });
});
afterAll(async () => {
  orchestrator?.kill("SIGKILL");
  await postgres.close();
  await rm(home, { recursive: true, force: true });
});

it("goes on after kill -9 of orchestrator and PostgreSQL; stored points equal the logs, none missing, none twice", async () => {
  const runIds = ["a", "b", "c"];
  let database = makeDatabase(postgres.url);
  await insertSweep(database, "sweep", runIds);
  for (const victim of ["orchestrator", "postgres", "both", "orchestrator"]) {
    orchestrator ??= startOrchestrator();
    const before = await countPoints(database);
    while ((await countPoints(database)) < before + 1000) await sleep(37);
    if (victim !== "postgres") await killOrchestrator();
    if (victim === "orchestrator") continue;
    await database.close();
    process.kill(postgres.pid, "SIGKILL");
    await sleep(500);
    postgres = await makePostgres({ home, isDurable: true });
    database = makeDatabase(postgres.url);
  }
  orchestrator = startOrchestrator();
  await untilFinished(database, runIds.length);
  await killOrchestrator();
  expect(await database.prisma.attempt.count(), "nobody was tried twice").toBe(runIds.length);
  expect(await countPoints(database)).toBe(3 * 600 * 40);
  await expectStoredEqualsLog(database, makeLocalLauncher({ runsFolder: join(home, "runs"), command: [] }));
  await database.close();
}, 120_000);

function startOrchestrator(): ChildProcess {
  const main = fileURLToPath(new URL("main.ts", import.meta.url));
  const own = { DATABASE_URL: postgres.url, ARLARENA_HOME: home, ARLARENA_TRAINER_BUNDLE: bundle, ARLARENA_SLOTS: "3" };
  const args = ["--import", import.meta.resolve("tsx"), main];
  return spawn(process.execPath, args, { env: { ...process.env, ...own }, stdio: "ignore" });
}

async function killOrchestrator(): Promise<void> {
  const child = orchestrator;
  orchestrator = undefined;
  if (child?.kill("SIGKILL") === true) await once(child, "exit");
}

async function countPoints({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT coalesce((SELECT sum(num_points) FROM metric_block), 0)::int
       + coalesce((SELECT sum(cardinality(values)) FROM metric_row), 0)::int AS count`,
  );
  return rows[0]?.count ?? 0;
}

async function untilFinished({ prisma }: Database, numRuns: number): Promise<void> {
  for (let i = 0; i < 600; i++) {
    if ((await prisma.run.count({ where: { status: "finished" } })) === numRuns) return;
    await sleep(100);
  }
  throw new Error(JSON.stringify(await prisma.run.findMany({ include: { attempts: true, statusEvents: true } })));
}
