import { createHash, randomUUID } from "node:crypto";
import { Client, DatabaseError } from "pg";
import { type Migration, readMigrations } from "./migrations.ts";

/**
 * Applies missing migrations, each in one transaction with its record in Prisma's own table. Returns their names.
 * Throws if a newer version of the studio has migrated the database.
 */
export async function migrate(databaseUrl: string, given?: readonly Migration[]): Promise<readonly string[]> {
  const migrations = given ?? (await readMigrations());
  return await withConnection(databaseUrl, async (client) => {
    await prepareRecords(client);
    const done = await readFinished(client);
    refuseUnknown(done, migrations);
    const applied: string[] = [];
    for (const migration of migrations) {
      if (!done.has(migration.name) && (await apply(client, migration))) applied.push(migration.name);
    }
    return applied;
  });
}

/** Throws if a newer version of the studio has migrated the database. */
export async function refuseNewer(databaseUrl: string): Promise<void> {
  const migrations = await readMigrations();
  refuseUnknown(await withConnection(databaseUrl, readFinished), migrations);
}

function refuseUnknown(done: ReadonlySet<string>, migrations: readonly Migration[]): void {
  const known = new Set(migrations.map(({ name }) => name));
  const newest = [...done].toSorted().findLast((name) => !known.has(name));
  if (newest === undefined) return;
  throw new Error(
    `a newer version of the studio has changed it (migration ${newest}): start that version or a later one, or go back to the data from before the upgrade (docs/server.md)`,
  );
}

/** Returns the migrations that a database with data lacks; none if it is new, or if a newer version has changed it. */
export async function findMissing(databaseUrl: string): Promise<string[]> {
  const migrations = await readMigrations();
  return await withConnection(databaseUrl, async (client) => {
    if (!(await hasRecords(client))) return [];
    const done = await readFinished(client);
    const missing = migrations.map(({ name }) => name).filter((name) => !done.has(name));
    return done.size + missing.length > migrations.length ? [] : missing;
  });
}

/** Returns the migrations that an earlier, stopped version of the studio began; `migrate` completes them. */
export async function findUnfinished(databaseUrl: string): Promise<string[]> {
  return await withConnection(databaseUrl, async (client) => {
    if (!(await hasRecords(client))) return [];
    const { rows } = await client.query<{ name: string }>(
      `SELECT migration_name AS name FROM _prisma_migrations WHERE ${isUnfinished} ORDER BY started_at`,
    );
    return rows.map(({ name }) => name);
  });
}

const isUnfinished = "finished_at IS NULL AND rolled_back_at IS NULL";

async function withConnection<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  // A broken connection needs no handling here: the next statement reports it.
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    // A transaction that is still open ends with the connection.
    await client.end().catch(() => {});
  }
}

// Takes the advisory lock of Prisma's own migration tools, so that migrations never run at the same time.
const lock = "SELECT pg_advisory_xact_lock(72707369)";

async function prepareRecords(client: Client): Promise<void> {
  if (await hasRecords(client)) return;
  await client.query("BEGIN");
  await client.query(lock);
  const { rows } = await client.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename = '_prisma_migrations' DESC LIMIT 1",
  );
  const found = rows[0]?.name;
  if (found !== undefined && found !== "_prisma_migrations") {
    throw new Error(`it holds tables of another program (${found}); name an empty database`);
  }
  await client.query(
    `CREATE TABLE IF NOT EXISTS _prisma_migrations (
       id varchar(36) PRIMARY KEY, checksum varchar(64) NOT NULL, finished_at timestamptz,
       migration_name varchar(255) NOT NULL, logs text, rolled_back_at timestamptz,
       started_at timestamptz NOT NULL DEFAULT now(), applied_steps_count integer NOT NULL DEFAULT 0)`,
  );
  await client.query("COMMIT");
}

async function hasRecords(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ table: string | null }>("SELECT to_regclass('_prisma_migrations') AS table");
  return rows[0]?.table != null;
}

async function readFinished(client: Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL",
  );
  return new Set(rows.map(({ name }) => name));
}

/** Applies one migration and records it. Returns false if another process has applied it meanwhile. */
async function apply(client: Client, { name, sql }: Migration): Promise<boolean> {
  await client.query("BEGIN");
  await client.query(lock);
  const { rows } = await client.query<{ isUnfinished: boolean }>(
    `SELECT finished_at IS NULL AS "isUnfinished" FROM _prisma_migrations WHERE migration_name = $1 AND rolled_back_at IS NULL`,
    [name],
  );
  const isDone = rows.some((row) => !row.isUnfinished);
  if (!isDone) {
    try {
      await (rows.length > 0 ? complete(client, sql) : client.query(sql));
    } catch (cause) {
      throw new Error(`migration ${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
    await client.query(`DELETE FROM _prisma_migrations WHERE migration_name = $1 AND ${isUnfinished}`, [name]);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, clock_timestamp(), 1)`,
      [randomUUID(), createHash("sha256").update(sql).digest("hex"), name],
    );
  }
  await client.query("COMMIT");
  return !isDone;
}

/**
 * Completes a migration that an earlier version left unfinished. That version split it at semicolons and ran the
 * statements one by one. Statements that were already applied fail with duplicate or missing objects, and are skipped.
 */
async function complete(client: Client, sql: string): Promise<void> {
  const statements = sql.split(";").filter((statement) => statement.trim() !== "");
  for (const statement of statements) {
    await client.query("SAVEPOINT statement");
    try {
      await client.query(statement);
    } catch (error) {
      if (!(error instanceof DatabaseError && alreadyRun.has(error.code ?? ""))) throw error;
      await client.query("ROLLBACK TO SAVEPOINT statement");
    }
  }
}

/** PostgreSQL's codes for duplicate table or index, column, object, and undefined table, column, object. */
const alreadyRun = new Set(["42P07", "42701", "42710", "42P01", "42703", "42704"]);
