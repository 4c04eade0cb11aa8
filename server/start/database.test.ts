import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makePostgres } from "#server/db/embedded/postgres.ts";
import { makeDatabase } from "#server/db/storage/client.ts";
import { insertAttempt, insertRun } from "#server/db/testing/insertRun.ts";
import { migrate } from "#prisma/migrate.ts";
import { readMigrations } from "#prisma/migrations.ts";
import { makeStudioDatabase } from "./database.ts";

let home = "";
let folder = "";
beforeEach(async () => void (home = await mkdtemp(join(tmpdir(), "arlarena-database-"))));
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
  await rm(home, { recursive: true, force: true });
});

const migrations = await readMigrations();

/** Makes the database of an earlier version of the studio, with one sweep, and runs `statements` in it. */
async function makeEarlier(numMissing: number, statements: string): Promise<void> {
  const before = await makePostgres({ home, isDurable: false });
  folder = dirname(before.dataFolder);
  await migrate(before.url, migrations.slice(0, migrations.length - numMissing));
  await ask(
    before.url,
    `INSERT INTO sweep (id, name, plan, plan_hash) VALUES ('kept', 'kept', '{}', '');
     INSERT INTO cell (id, sweep_id, index, method, label, spec, spec_hash) VALUES (7, 'kept', 0, 'GRPO', '', '{}', '');
     INSERT INTO run (id, sweep_id, cell_id, seed, status, latest_iteration) VALUES ('kept-s0', 'kept', 7, 0, 'finished', 40)`,
  );
  await ask(before.url, statements);
  await before.close();
}

const start = (print: (line: string) => void = () => {}) => makeStudioDatabase({ home, databaseUrl: undefined }, print);
const listCopies = async () => (await readdir(folder)).filter((name) => name !== "data" && name.startsWith("data."));
const readRun = "SELECT id, cell_id, status, latest_iteration FROM run";
const kept = [{ id: "kept-s0", cell_id: 7, status: "finished", latest_iteration: 40 }];
/** Migrations that the version of 24 November 2026 (commit fef3f5b2) lacks. */
const numSince = migrations.filter(({ name }) => name > "20261123233132_node_processor").length;
const numRecords = "SELECT count(*)::int AS number FROM _prisma_migrations WHERE finished_at IS NOT NULL";

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

test(
  "a folder whose start an earlier version left in a migration starts, its data copied before",
  { tags: "soak" },
  async () => {
    await makeEarlier(
      1,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('begun', '', '${migrations.at(-1)?.name}')`,
    );
    const printed: string[] = [];
    const database = await start((line) => printed.push(line));
    expect(await ask(database.url, readRun)).toEqual(kept);
    await database.close();
    const [copy = "", ...others] = await listCopies();
    expect(others).toEqual([]);
    expect(copy).toContain("before-repair");
    expect(existsSync(join(folder, copy, "PG_VERSION"))).toBe(true);
    expect(printed.join("\n")).toContain(`The data as it was found is in ${join(folder, copy)}`);

    const again = await start();
    await again.close();
    expect(await listCopies()).toEqual([copy]);
  },
);

test("an upgrade keeps a copy of the data, which the earlier version can use", async () => {
  await makeEarlier(numSince, "SELECT 1");
  const printed: string[] = [];
  const database = await start((line) => printed.push(line));
  expect(await ask(database.url, numRecords)).toEqual([{ number: migrations.length }]);
  expect(await ask(database.url, readRun)).toEqual(kept);
  await database.close();
  const [copy = ""] = await listCopies();
  expect(printed.join("\n")).toContain(`The data from before is in ${join(folder, copy)}`);

  // Going back, as docs/server.md says.
  await rename(join(folder, "data"), join(folder, "data.newer"));
  await rename(join(folder, copy), join(folder, "data"));
  const earlier = await makePostgres({ home, isDurable: false });
  expect(await ask(earlier.url, numRecords)).toEqual([{ number: migrations.length - numSince }]);
  expect(await migrate(earlier.url, migrations.slice(0, -numSince))).toEqual([]);
  expect(await ask(earlier.url, readRun)).toEqual(kept);
  await earlier.close();
});

test("an upgrade that fails leaves the data as it was", { tags: "soak" }, async () => {
  // The last migration fails, after the others were applied.
  await makeEarlier(
    3,
    `CREATE FUNCTION refuse_last() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
       IF (SELECT count(*) FROM _prisma_migrations) >= ${migrations.length - 1} THEN RAISE 'no room'; END IF; END $$;
     CREATE EVENT TRIGGER refuse_last ON ddl_command_end EXECUTE FUNCTION refuse_last()`,
  );
  await expect(start()).rejects.toThrow(
    `cannot be used: migration ${migrations.at(-1)?.name}: no room; the data is as it was before this start`,
  );
  expect(await listCopies()).toEqual([]);
  const earlier = await makePostgres({ home, isDurable: false });
  expect(await ask(earlier.url, numRecords)).toEqual([{ number: migrations.length - 3 }]);
  await earlier.close();
});

test("data of a newer version is refused and left alone, with the way to go on", { tags: "soak" }, async () => {
  const columns = "id, checksum, migration_name, finished_at";
  await makeEarlier(0, `INSERT INTO _prisma_migrations (${columns}) VALUES ('new', '', '99990101_later', now())`);
  await expect(start()).rejects.toThrow(
    "a newer version of the studio has changed it (migration 99990101_later): start that version or a later one, or go back to the data from before the upgrade (docs/server.md)",
  );
  expect(await listCopies()).toEqual([]);
});

test("attempts of a renamed state folder are found in its new place", { tags: "soak" }, async () => {
  const above = await mkdtemp(join(tmpdir(), "arlarena-database-"));
  const [before, after] = [join(above, "before"), join(above, "after")];
  const database = await makeStudioDatabase({ home: before, databaseUrl: undefined }, () => {});
  await mkdir(join(before, "runs", "kept", "1"), { recursive: true });
  const storage = makeDatabase(database.url);
  await insertRun(storage, "kept");
  // Stands for a shared folder of Slurm, which exists.
  const elsewhere = tmpdir();
  await storage.pool.query("UPDATE attempt SET folder = $1", [join(before, "runs", "kept", "1")]);
  await storage.pool.query("UPDATE attempt SET live = false");
  await insertAttempt(storage, "kept", 2);
  await storage.pool.query("UPDATE attempt SET folder = $1 WHERE number = 2", [join(elsewhere, "kept", "2")]);
  await storage.close();
  await database.close();
  await rename(before, after);

  const again = await makeStudioDatabase({ home: after, databaseUrl: undefined }, () => {});
  expect(await ask(again.url, "SELECT folder FROM attempt ORDER BY number")).toEqual([
    { folder: join(after, "runs", "kept", "1") },
    { folder: join(elsewhere, "kept", "2") },
  ]);
  await again.close();
  const { dataFolder, close } = await makePostgres({ home: after, isDurable: false });
  await close();
  await rm(dirname(dataFolder), { recursive: true, force: true });
  await rm(above, { recursive: true, force: true });
});
