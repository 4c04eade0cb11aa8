import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
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

const iterations = 600;
const numKeys = 40;
const victims = ["orchestrator", "postgres", "both", "orchestrator"] as const;
/** Between one kill and the next the trainers write so much and no more: however slow we are, there is something left. */
const share = iterations / victims.length;
const gateOf = (i: number) => join(home, `share-${i}`);

let home = "";
let bundle = "";
let postgres: Postgres;
let orchestrator: ChildProcess | undefined;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "arlarena-crash-"));
  postgres = await makePostgres({ home, isDurable: true });
  await migrate(postgres.url);
  const holds = Object.fromEntries(victims.slice(1).map((_, i) => [share * (i + 1), gateOf(i + 1)]));
  bundle = await writeFakeTrainer(home, { iterations, everyMs: 20, numKeys, holds });
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
  for (const [i, victim] of victims.entries()) {
    orchestrator ??= startOrchestrator();
    await writeFile(gateOf(i), "");
    while ((await countPoints(database)) < i * share * numKeys * runIds.length + 1000) await sleep(37);
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
  expect(await countPoints(database)).toBe(runIds.length * iterations * numKeys);
  await expectStoredEqualsLog(database, makeLocalLauncher({ runsFolder: join(home, "runs"), command: [] }));
  await database.close();
});

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
  for (let i = 0; i < 2400; i++) {
    if ((await prisma.run.count({ where: { status: "finished" } })) === numRuns) return;
    await sleep(100);
  }
  throw new Error(JSON.stringify(await prisma.run.findMany({ include: { attempts: true, statusEvents: true } })));
}
