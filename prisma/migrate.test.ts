import { Client } from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { inBoth, isSoak } from "#server/testing/soak.ts";
import { findUnfinished, migrate } from "./migrate.ts";
import { type Migration, readMigrations } from "./migrations.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());
const migrations = await readMigrations();

let numMade = 0;
/** Creates a copy of the database `template` on the same server, and returns its URL. */
async function makeDatabase(template = "template0"): Promise<string> {
  const name = `${new URL(database.url).pathname.slice(1)}_${++numMade}`;
  await database.pool.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  return Object.assign(new URL(database.url), { pathname: `/${name}` }).href;
}

async function ask<Row extends Record<string, unknown>>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Reads columns, indexes and constraints, in a canonical order. */
const readSchema = (url: string) =>
  ask(
    url,
    `SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '') AS part
     FROM information_schema.columns WHERE table_schema = 'public'
     UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
     UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
     UNION ALL SELECT relname || ' ' || array_to_string(reloptions, ',') FROM pg_class WHERE reloptions IS NOT NULL AND relnamespace = 'public'::regnamespace
     ORDER BY part`,
  );

test("an empty database gets every migration, in order; one that is up to date is left alone", async () => {
  const url = await makeDatabase();
  expect(await migrate(url)).toEqual(migrations.map(({ name }) => name).toSorted());
  expect(await migrate(url)).toEqual([]);
  expect(await ask(url, "SELECT id FROM sweep")).toEqual([]);
});

test("two starts on an empty database apply each migration once", async () => {
  const url = await makeDatabase();
  const applied = await Promise.all([migrate(url), migrate(url)]);
  expect(applied.flat().toSorted()).toEqual(migrations.map(({ name }) => name));
  expect(await ask(url, "SELECT migration_name FROM _prisma_migrations")).toHaveLength(migrations.length);
});

test("a database of another program is refused by the name of its table", async () => {
  const url = await makeDatabase();
  await ask(url, "CREATE TABLE invoices ()");
  await expect(migrate(url)).rejects.toThrow("it holds tables of another program (invoices); name an empty database");
});

describe("a migration", () => {
  const first: Migration = { name: "1_first", sql: "CREATE TABLE a (x int); INSERT INTO a VALUES (7);" };

  test("that fails half-way leaves nothing, and works once it can", async () => {
    const url = await makeDatabase();
    const second = { name: "2_second", sql: "ALTER TABLE a ADD COLUMN y int; ALTER TABLE b ADD COLUMN z int;" };
    await expect(migrate(url, [first, second])).rejects.toThrow('migration 2_second: relation "b" does not exist');
    expect(await ask(url, "SELECT * FROM a")).toEqual([{ x: 7 }]);
    expect(await findUnfinished(url)).toEqual([]);
    await ask(url, "CREATE TABLE b ()");
    expect(await migrate(url, [first, second])).toEqual(["2_second"]);
    expect(await ask(url, "SELECT * FROM a")).toEqual([{ x: 7, y: null }]);
  });

  test("that is killed between two statements leaves nothing, and the next start applies it", async () => {
    const url = await makeDatabase();
    const slow = { name: "2_slow", sql: "ALTER TABLE a ADD COLUMN y int; SELECT pg_sleep(60); DROP TABLE a;" };
    await migrate(url, [first]);
    const killed = migrate(url, [first, slow]);
    killed.catch(() => undefined);
    const kill = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND wait_event = 'PgSleep'`;
    while ((await ask(url, kill)).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await expect(killed).rejects.toThrow("2_slow");
    expect(await ask(url, "SELECT * FROM a")).toEqual([{ x: 7 }]);
    const quick = { ...slow, sql: slow.sql.replace("60", "0") };
    expect(await migrate(url, [first, quick])).toEqual(["2_slow"]);
  });
});

describe("what earlier versions left of a migration that was stopped", () => {
  const lastOfTheirs = "20261123233132_node_processor";
  const theirs = migrations.filter(({ name }) => name <= lastOfTheirs);

  // Earlier versions ran the statements one by one: a stop left any number of them applied, and a record without an
  // end. `npm test` tries every fourth number, including the last; `npm run soak` tries the others.
  const tried = theirs.filter((_, i) => ((theirs.length - 1 - i) % 4 === 0) !== isSoak);
  test.each(tried)(
    "is completed after half of its statements, and after all: $name",
    { tags: inBoth },
    async (migration) => {
      const [index, before] = [theirs.indexOf(migration), await makeDatabase()];
      await migrate(before, theirs.slice(0, index));
      if (index > 0)
        await ask(before, "INSERT INTO sweep (id, name, plan, plan_hash) VALUES ('kept', 'kept', '{}', '')");
      const copy = () => makeDatabase(new URL(before).pathname.slice(1));
      const [upTo, whole] = [theirs.slice(0, index + 1), await copy()];
      await migrate(whole, upTo);
      const expected = await readSchema(whole);
      const statements = migration.sql.split(";").filter((statement) => statement.trim() !== "");
      for (const numRun of [statements.length >> 1, statements.length]) {
        const url = await copy();
        const begun = `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('begun', '', '${migration.name}')`;
        await ask(url, [begun, ...statements.slice(0, numRun)].join(";"));
        expect(await findUnfinished(url)).toEqual([migration.name]);
        expect(await migrate(url, upTo)).toEqual([migration.name]);
        expect(await readSchema(url), `after ${numRun} statements`).toEqual(expected);
        if (index > 0) expect(await ask(url, "SELECT id FROM sweep")).toEqual([{ id: "kept" }]);
        expect(await findUnfinished(url)).toEqual([]);
        await database.pool.query(`DROP DATABASE ${new URL(url).pathname.slice(1)}`);
      }
    },
  );
});

test("sweeps imported by earlier versions are marked, and what their rules queued waits for a person", async () => {
  const url = await makeDatabase();
  const index = migrations.findIndex(({ name }) => name.endsWith("_imported_sweeps"));
  await migrate(url, migrations.slice(0, index));
  const insert = (id: string, { status = "finished", plan = {}, origin = "plan", event = "" } = {}) => `
    INSERT INTO sweep (id, name, plan, plan_hash, origin) VALUES ('${id}', '${id}', '${JSON.stringify(plan)}', '', '${origin}');
    INSERT INTO cell (id, sweep_id, "index", method, label, spec, spec_hash)
      VALUES (abs(hashtext('${id}')), '${id}', 0, '', '', '{}', '');
    INSERT INTO run (id, sweep_id, cell_id, seed, status)
      VALUES ('run of ${id}', '${id}', abs(hashtext('${id}')), 0, '${status}');
    ${event && `INSERT INTO status_event (run_id, source, status, text) VALUES ('run of ${id}', ${event});`}`;
  const branchesOf = (id: string) => ({ base: { initialisation: { run: `run of ${id}` } } });
  await ask(
    url,
    [
      insert("study", { event: "'user', 'finished', 'imported from a recorded study'" }),
      insert("searched", { status: "pending", event: "'user', 'finished', 'imported from a recorded study'" }),
      insert("files", { origin: "import" }),
      insert("own", { status: "pending", event: "'rescue', 'finished', 'opened'" }),
      insert("rescue", { status: "pending", plan: branchesOf("study") }),
      insert("own rescue", { status: "pending", plan: branchesOf("own") }),
      "INSERT INTO status_event (run_id, source, status, text) VALUES ('run of study', 'rescue', 'finished', 'opened')",
    ].join(";"),
  );
  await migrate(url, migrations.slice(0, index + 1));
  expect(await ask(url, "SELECT id, imported_at IS NOT NULL AS imported, intent FROM sweep ORDER BY id")).toEqual([
    { id: "files", imported: true, intent: "run" },
    { id: "own", imported: false, intent: "run" },
    { id: "own rescue", imported: false, intent: "run" },
    { id: "rescue", imported: false, intent: "pause" },
    { id: "searched", imported: true, intent: "pause" },
    { id: "study", imported: true, intent: "run" },
  ]);
});
