/**
 * Kills the studio's start at random moments and starts again: `npx tsx bench/kills.ts [KILLS 200] [FIRST 1]`. A third
 * of the folders are fresh, a third have an older schema and 18 runs, a third are up to date with 18 runs. Half of the
 * kills come at any moment of the start, half during the migration. They hit the start (SIGKILL or SIGTERM),
 * PostgreSQL, or both. Prints the number of successful restarts and of lost rows, and fails unless all restarted and
 * none was lost.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { findUnfinished, migrate } from "#prisma/migrate.ts";
import { readMigrations } from "#prisma/migrations.ts";
import { makeDatabase } from "#server/db/storage/client.ts";
import { chooseAccount } from "#server/db/embedded/account.ts";
import { locateDatabase } from "#server/db/embedded/location.ts";
import { makePostgres } from "#server/db/embedded/postgres.ts";
import { endProcess, readPostmaster } from "#server/db/embedded/postmaster.ts";
import { claimHome } from "#server/start/claimHome.ts";
import { makeStudioDatabase } from "#server/start/database.ts";
import { split } from "#trainer/spec/rng.ts";
import { print, readNumbers } from "./throwaway.ts";

const migrations = await readMigrations();
const numRuns = 18;
const numLines = 100;

/** Template folders by number of migrations, with runs and their points. Each is made once and copied. */
const templates = new Map<number, { home: string; folder: string }>();

if (process.argv[2] === "start") await start(process.argv[3] ?? "");
else await killAndStart(readNumbers([200, 1]));

/** Runs the supervisor's part of a start up to the database, until it is stopped. */
async function start(home: string): Promise<void> {
  const stopping = new AbortController();
  process.once("SIGTERM", () => stopping.abort());
  const release = await claimHome(home);
  const database = await makeStudioDatabase({ home, databaseUrl: undefined }, () => {});
  console.log(database.url);
  if (!stopping.signal.aborted) await once(stopping.signal, "abort");
  await database.close();
  await release();
}

type Tally = { started: number; lost: number; beforeReady: number; problems: string[] };

/** Each kill is sampled from its number, so that several series can run in parallel. */
async function killAndStart([numKills = 0, first = 0]: readonly number[]): Promise<void> {
  const base = await mkdtemp(join(tmpdir(), "arlarena-kills-"));
  const tally: Tally = { started: 0, lost: 0, beforeReady: 0, problems: [] };
  try {
    for (let i = first; i < first + numKills; i++) {
      const home = join(base, String(i));
      await tryOnce(home, i, tally).catch((error: unknown) => tally.problems.push(`kill ${i}: ${String(error)}`));
      if ((i - first + 1) % 5 === 0)
        console.error(`${i - first + 1} kills, ${tally.started} started again, ${tally.problems.length} problems`);
    }
  } finally {
    await rm(base, { recursive: true, force: true });
  }
  print("kills", numKills, "");
  print("of which before the migrated database was ready", tally.beforeReady, "");
  print("started again", tally.started, "");
  print("rows lost", tally.lost, "");
  for (const problem of tally.problems) console.log(problem);
  if (tally.started < numKills || tally.lost > 0) process.exitCode = 1;
}

async function tryOnce(home: string, i: number, tally: Tally): Promise<void> {
  const rng = split(i, "bench kills");
  await mkdir(home, { recursive: true });
  const kind = ["fresh", "older", "current"][i % 3];
  // Four older schemas: the first, two in between, and the second to last.
  const older = [1, 9, 18, migrations.length - 1][Math.floor(rng.next() * 4)] ?? 1;
  const numApplied = kind === "older" ? older : migrations.length;
  if (kind !== "fresh") await prepare(home, numApplied);
  const dataFolder = () => locate(home);
  const begun: ReturnType<typeof beginStart>[] = [];
  try {
    const killed = beginStart(home);
    begun.push(killed);
    if (rng.next() < 0.5) await sleep(rng.next() * 2500);
    else {
      while (killed.isRunning() && readPostmaster(dataFolder())?.isReady !== true) await sleep(5);
      await sleep(rng.next() * 500);
    }
    const victim = ["start", "start", "start gently", "database", "both"][Math.floor(rng.next() * 5)] ?? "";
    const postmaster = readPostmaster(dataFolder())?.pid;
    if (victim !== "database") killed.signal(victim === "start gently" ? "SIGTERM" : "SIGKILL");
    if (postmaster !== undefined && (victim === "database" || victim === "both")) kill(postmaster);
    // The death of a database ends the start, or the start restarts it; in that case the start is ended.
    if (victim === "database") await Promise.race([killed.ended, sleep(3000)]).then(() => killed.signal("SIGKILL"));
    await killed.ended;
    if (!killed.wasReady()) tally.beforeReady += 1;

    const again = beginStart(home);
    begun.push(again);
    const url = await again.url;
    tally.started += 1;
    tally.lost += await countLost(url, kind === "fresh");
    again.signal("SIGTERM");
    await again.ended;
  } finally {
    for (const one of begun) one.signal("SIGKILL");
    const left = readPostmaster(dataFolder())?.pid;
    if (left !== undefined) await endProcess(left);
    await rm(dirname(dataFolder()), { recursive: true, force: true });
    await rm(home, { recursive: true, force: true });
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}

function beginStart(home: string) {
  const child = spawn(process.execPath, ["--import", "tsx", import.meta.filename, "start", home], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let complaint = "";
  child.stderr.on("data", (chunk) => (complaint += String(chunk)));
  const ended = once(child, "close").then(() => undefined);
  let isReady = false;
  const url = Promise.race([
    once(createInterface({ input: child.stdout }), "line").then(([line]) => {
      isReady = true;
      return String(line);
    }),
    ended.then(() => Promise.reject(new Error(complaint.trim().split("\n").slice(-6).join(" | ")))),
  ]);
  url.catch(() => undefined);
  return {
    url,
    ended,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    wasReady: () => isReady,
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
  };
}

async function prepare(home: string, numApplied: number): Promise<void> {
  const template = templates.get(numApplied) ?? (await layOut(`${home}-${numApplied}`, numApplied));
  templates.set(numApplied, template);
  await cp(join(template.home, "database.json"), join(home, "database.json"));
  const { dataFolder } = await locateDatabase(home, chooseAccount());
  spawnSync("cp", ["-a", template.folder, dataFolder]);
}

async function layOut(home: string, numApplied: number): Promise<{ home: string; folder: string }> {
  const postgres = await makePostgres({ home, isDurable: false });
  await migrate(postgres.url, migrations.slice(0, numApplied));
  await query(
    postgres.url,
    `INSERT INTO sweep (id, name, plan, plan_hash) VALUES ('kept', 'kept', '{}', '');
     INSERT INTO cell (sweep_id, index, method, label, spec, spec_hash) VALUES ('kept', 0, 'GRPO', '', '{}', '');
     INSERT INTO run (id, sweep_id, cell_id, seed) SELECT 'run' || i, 'kept', cell.id, i FROM cell, generate_series(1, ${numRuns}) AS i;
     INSERT INTO metric_row (attempt_id, seq, iteration, optimizer_step, at_ms, metric_ids, values)
       SELECT i, s, s, s, 0, '{1,2}', '{0.5,1}' FROM generate_series(1, ${numRuns}) AS i, generate_series(1, ${numLines}) AS s`,
  );
  await postgres.close();
  const folder = join(home, "template");
  spawnSync("cp", ["-a", postgres.dataFolder, folder]);
  await rm(postgres.dataFolder, { recursive: true, force: true });
  return { home, folder };
}

/** Place of the folder's database: inside it, or where PostgreSQL's own account has access. */
function locate(home: string): string {
  const note = join(home, "postgres.location");
  return join(existsSync(note) ? readFileSync(note, "utf8").trim() : join(home, "postgres"), "data");
}

async function countLost(url: string, isFresh: boolean): Promise<number> {
  const unfinished = await findUnfinished(url);
  const [counted] = await query(
    url,
    `SELECT (SELECT count(*) FROM run)::int AS runs, (SELECT count(*) FROM metric_row)::int AS lines,
       (SELECT count(*) FROM _prisma_migrations)::int AS migrations`,
  );
  const { runs = 0, lines = 0, migrations: numRecorded = 0 } = counted ?? {};
  if (numRecorded !== migrations.length || unfinished.length > 0) {
    throw new Error(`${numRecorded} of ${migrations.length} migrations recorded, ${unfinished.length} unfinished`);
  }
  return isFresh ? 0 : numRuns - runs + numRuns * numLines - lines;
}

async function query(url: string, sql: string): Promise<Record<string, number>[]> {
  const database = makeDatabase(url, { maxConnections: 1 });
  try {
    return (await database.pool.query<Record<string, number>>(sql)).rows;
  } finally {
    await database.close();
  }
}
