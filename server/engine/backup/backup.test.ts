import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { Client } from "pg";
import { afterAll, expect, test } from "vitest";
import { migrate } from "#prisma/migrate.ts";
import { readMigrations } from "#prisma/migrations.ts";
import { makePostgres } from "#server/db/embedded/postgres.ts";
import { insertRun, insertSweep } from "#server/db/testing/insertRun.ts";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { makeLocalLauncher } from "#server/engine/launchers/local.ts";
import { HeadlessStudio } from "#server/engine/orchestrator/testing/headlessStudio.ts";
import { expectStoredEqualsLog } from "#server/engine/orchestrator/testing/expectStoredEqualsLog.ts";
import { makeStudioDatabase } from "#server/start/database.ts";
import { restoreStudio } from "#server/start/restoreStudio.ts";
import { backUp } from "./backUp.ts";
import type { Progress } from "./contents.ts";

const made: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const remove of made.toReversed()) await remove();
});

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "arlarena-backup-"));
  made.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function makeEmptyDatabase(): Promise<string> {
  const database = await makeTestDatabase();
  made.push(() => database.close());
  await database.pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  return database.url;
}

async function ask(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const rows: Record<string, unknown>[] = [];
    for (const sql of statements) rows.push(...(await client.query<Record<string, unknown>>(sql)).rows);
    return rows;
  } finally {
    await client.end();
  }
}

/** Hashes every table's rows in PostgreSQL itself, without the order of storage. */
async function hashTables(url: string): Promise<Record<string, unknown>[]> {
  const tables = await ask(url, "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1");
  const names = tables.map(({ name }) => String(name)).filter((name) => name !== "_prisma_migrations");
  const hashes = names.map(
    (name) =>
      `SELECT '${name}' AS table, count(*)::int AS rows, md5(string_agg(t::text, E'\\n' ORDER BY t::text)) AS hash FROM "${name}" t`,
  );
  return await ask(url, ...hashes);
}

const parts = { version: "0.1.0", onProgress: () => {} };

/** Makes a state folder with settings, secrets, a run's folder, caches and a link. */
async function makeHome(): Promise<string> {
  const home = await makeFolder();
  for (const folder of [
    "runs/kept/1",
    "runs/kept/2",
    "graphs",
    "postgres/data",
    "postgresql-18.4.0/bin",
    `runs/kept/1/${"deep/".repeat(30)}`,
  ])
    await mkdir(join(home, folder), { recursive: true });
  const files = {
    secret: "s".repeat(43),
    "nodes.yaml": "nodes: []\n",
    "database.json": "{}",
    "runs/kept/1/events.jsonl": "{}\n",
    "runs/kept/1/empty": "",
    "runs/kept/2/events.jsonl": "began later",
    "graphs/cache": "cache",
    "postgres/data/PG_VERSION": "18",
    "postgresql-18.4.0/bin/initdb": "program",
    [`runs/kept/1/${"deep/".repeat(30)}weights é.bin`]: "x".repeat(3_000_000),
  };
  for (const [path, text] of Object.entries(files)) await writeFile(join(home, path), text);
  await chmod(join(home, "secret"), 0o600);
  await symlink("kept/1", join(home, "runs", "link"));
  return home;
}

test("every row and file comes back in another database and folder; caches, and attempts that began later, do not", async () => {
  const source = await makeTestDatabase();
  made.push(() => source.close());
  await insertRun(source, "kept");
  const home = await makeHome();
  await source.pool.query("UPDATE attempt SET folder = $1", [join(home, "runs/kept/1")]);
  await source.pool.query(
    `INSERT INTO metric_row VALUES (1, 0, 1, 1, 0.1, '{1}', '{NaN}'), (1, 1, 2, 2, 1e-300, '{1,2}', '{-Infinity,0.1}')`,
  );
  await source.pool.query("UPDATE sweep SET note = E'a\\tb\\\\n\\né 😀', labels = '{\"x,y\",NULL}'");
  await source.pool.query("INSERT INTO metric_block VALUES (1, 1, 0, 0, 0, 0, 1, NULL, '\\x00ff0a5c', NULL)");
  const path = join(await makeFolder(), "studio.tar.gz");
  const done = await backUp({ ...parts, home, databaseUrl: source.url, path });
  expect((await stat(path)).mode & 0o777).toBe(0o600);

  const url = await makeEmptyDatabase();
  const to = join(await makeFolder(), "new");
  const restored = await restoreStudio({ home: to, databaseUrl: url, path, onProgress: () => {} });
  expect([restored.numRows, restored.numFiles, restored.applied]).toEqual([done.numRows, done.numFiles, []]);
  const folder = join(to, "runs/kept/1");
  await source.pool.query("UPDATE attempt SET folder = $1", [folder]);
  expect(await hashTables(url)).toEqual(await hashTables(source.url));
  expect(
    (await readdir(to, { recursive: true })).toSorted().filter((name) => !/deep|^runs$|^runs.link./.test(name)),
  ).toEqual([
    "nodes.yaml",
    "runs/kept",
    "runs/kept/1",
    "runs/kept/1/empty",
    "runs/kept/1/events.jsonl",
    "runs/kept/1/pid.json",
    "runs/link",
    "secret",
  ]);
  expect((await readFile(join(folder, "deep/".repeat(30), "weights é.bin"), "utf8")).length).toBe(3_000_000);
  expect((await stat(join(to, "secret"))).mode & 0o777).toBe(0o600);
  // The next id is not one that was given away before the backup.
  await ask(
    url,
    "INSERT INTO attempt (run_id, number, job_id, node, folder, live) VALUES ('kept', 2, 'j', 'local', '', false)",
  );

  await expect(restoreStudio({ home: to, databaseUrl: url, path, onProgress: () => {} })).rejects.toThrow(
    "is not empty (",
  );
  await expect(restoreStudio({ home: `${to}2`, databaseUrl: url, path, onProgress: () => {} })).rejects.toThrow(
    "is not empty (table",
  );
  await expect(backUp({ ...parts, home, databaseUrl: source.url, path })).rejects.toThrow("exists already");
});

test("a damaged, cut or foreign file restores nothing and says so", async () => {
  const source = await makeTestDatabase();
  made.push(() => source.close());
  await insertRun(source, "kept");
  const home = await makeHome();
  const path = join(await makeFolder(), "studio.tar.gz");
  await backUp({ ...parts, home, databaseUrl: source.url, path });
  const whole = gunzipSync(await readFile(path));
  const change = (from: string, to: string) =>
    gzipSync(Buffer.from(whole.toString("latin1").replace(from, to), "latin1"));
  const damaged = {
    "ends early": (await readFile(path)).subarray(0, -2000),
    "the file secret differs": change("sssss", "sssst"),
    "made by a newer studio (version 0.1.0": change('"20261121020059_init"', '"30000101000000_init"'),
    "has 1 row, the backup says 2": change('"sweep":1', '"sweep":2'),
    "outside the state folder": change("home/nodes.yaml\0", "home/../xx.yaml\0"),
    "header of the archive is damaged": change("home/nodes.yaml\0", "home/modes.yaml\0"),
    "it is damaged, or no backup": Buffer.from("no backup"),
  };
  for (const [problem, bytes] of Object.entries(damaged)) {
    const bad = join(dirname(path), "bad.tar.gz");
    // A changed name needs the header's sum to be corrected, which an attacker would do.
    await writeFile(bad, problem.startsWith("outside") ? correctSums(bytes) : bytes);
    const url = await makeEmptyDatabase();
    const to = join(dirname(path), "new");
    await expect(
      restoreStudio({ home: to, databaseUrl: url, path: bad, onProgress: () => {} }),
      problem,
    ).rejects.toThrow(problem);
    expect(await readdir(to), problem).toEqual([]);
    const counts = await ask(url, "SELECT count(*)::int AS n FROM pg_tables WHERE tablename = 'sweep'");
    if (counts[0]?.["n"] === 1) expect(await ask(url, "SELECT FROM sweep")).toEqual([]);
  }
});

function correctSums(zipped: Buffer): Buffer {
  const whole = gunzipSync(zipped);
  const at = whole.indexOf("home/../xx.yaml\0");
  whole.write("        ", at + 148);
  const sum = whole.subarray(at, at + 512).reduce((total, byte) => total + byte, 0);
  whole.write(`${sum.toString(8).padStart(6, "0")}\0 `, at + 148);
  return gzipSync(whole);
}

test("an older studio's backup is brought up to date after it is loaded", async () => {
  const migrations = await readMigrations();
  const older = await makeEmptyDatabase();
  await migrate(older, migrations.slice(0, -6));
  await ask(older, "INSERT INTO sweep (id, name, plan, plan_hash) VALUES ('old', 'old', '{}', '')");
  const home = await makeHome();
  // The file itself and files of the same ending as drafts: only the latter belong to a backup.
  const path = join(home, "studio.tar.gz");
  await writeFile(join(home, "runs", "kept", "notes.new"), "");
  await backUp({ ...parts, home, databaseUrl: older, path });
  const url = await makeEmptyDatabase();
  const { applied } = await restoreStudio({
    home: join(dirname(path), "new"),
    databaseUrl: url,
    path,
    onProgress: () => {},
  });
  expect(applied).toEqual(migrations.slice(-6).map(({ name }) => name));
  expect(await ask(url, "SELECT id FROM sweep")).toEqual([{ id: "old" }]);
  expect(await readdir(join(home, "new"))).not.toContain("studio.tar.gz");
  expect(await readdir(join(home, "new", "runs", "kept"))).toEqual(["notes.new"]);
});

test(
  "a studio is backed up while 8 runs train; the restored one trains them to the end",
  { tags: "soak" },
  async () => {
    const iterations = 400;
    const behaviour = { iterations, everyMs: 5, resumes: true };
    const holdAt = 150;
    const studio = await HeadlessStudio.make({ ARLARENA_SLOTS: "8", ARLARENA_GRACE_SECONDS: "1" }, (home) => ({
      ...behaviour,
      holds: { [holdAt]: join(home, "gate") },
    }));
    made.push(() => studio.close());
    const runIds = Array.from({ length: 8 }, (_, i) => `run-${i}`);
    await insertSweep(studio.database, "sweep", runIds);
    studio.startOrchestrator();
    while ((await maxIterations(studio.url)) < 20) await sleep(20);

    // Trainers append to their logs and the orchestrator stores lines during the whole backup.
    const path = join(await makeFolder(), "studio.tar.gz");
    const seen: Progress[] = [];
    await backUp({ ...parts, home: studio.home, databaseUrl: studio.url, path, onProgress: (one) => seen.push(one) });
    expect(new Set(seen.map(({ what }) => what))).toEqual(new Set(["tables", "files"]));
    await studio.killOrchestrator();

    const home = join(await makeFolder(), "restored");
    const { live } = await restoreStudio({ home, databaseUrl: undefined, path, onProgress: () => {} });
    expect(live.map(({ folder }) => folder).toSorted()).toEqual(runIds.map((id) => join(home, "runs", id, "1")));
    const database = await makeStudioDatabase({ home, databaseUrl: undefined }, () => {});
    made.push(async () => {
      await database.close();
      const { dataFolder, close } = await makePostgres({ home, isDurable: false });
      await close();
      await rm(dirname(dataFolder), { recursive: true, force: true });
    });
    for (const { folder, bytes } of await readOffsets(database.url)) {
      expect((await stat(join(folder, "events.jsonl"))).size).toBeGreaterThanOrEqual(bytes);
    }

    // The original's trainers go on, and the restored studio neither follows nor ends them.
    const second = studio.onCopy({ home, url: database.url });
    await writeFile(join(studio.home, "gate"), "");
    second.startOrchestrator();
    await second.untilFinished(8, 120_000);
    await second.killOrchestrator();
    const launcher = makeLocalLauncher({ runsFolder: join(home, "runs"), command: [] });
    await expectStoredEqualsLog(second.database, launcher);
    await second.database.close();
    for (const id of runIds) {
      const log = await readFile(join(studio.home, "runs", id, "1", "events.jsonl"), "utf8");
      expect(log).toContain('"exit":"completed"');
    }
  },
);

async function maxIterations(url: string): Promise<number> {
  const [row] = await ask(url, "SELECT coalesce(min(latest_iteration), 0)::int AS n FROM run");
  return Number(row?.["n"]);
}

async function readOffsets(url: string): Promise<{ folder: string; bytes: number }[]> {
  const rows = await ask(url, "SELECT folder, log_offset::float8 AS bytes FROM attempt");
  return rows.map(({ folder, bytes }) => ({ folder: String(folder), bytes: Number(bytes) }));
}
