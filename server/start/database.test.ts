import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makePostgres } from "#server/db/embedded/postgres.ts";
import { migrate } from "#prisma/migrate.ts";
import { readMigrations } from "#prisma/migrations.ts";
import { makeStudioDatabase } from "./database.ts";

let home = "";
beforeAll(async () => void (home = await mkdtemp(join(tmpdir(), "arlarena-database-"))));
afterAll(async () => {
  const data = await makePostgres({ home, isDurable: false });
  await data.close();
  await rm(dirname(data.dataFolder), { recursive: true, force: true });
  await rm(home, { recursive: true, force: true });
});

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
  { timeout: 120_000 },
  async () => {
    const migrations = await readMigrations();
    const before = await makePostgres({ home, isDurable: false });
    await migrate(before.url, migrations.slice(0, -1));
    await ask(before.url, "INSERT INTO sweep (id, name, plan, plan_hash) VALUES ('kept', 'kept', '{}', '')");
    await ask(
      before.url,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('begun', '', '${migrations.at(-1)?.name}')`,
    );
    await before.close();

    const printed: string[] = [];
    const database = await makeStudioDatabase({ home, databaseUrl: undefined }, (line) => printed.push(line));
    expect(await ask(database.url, "SELECT id FROM sweep")).toEqual([{ id: "kept" }]);
    await database.close();
    const folder = dirname(before.dataFolder);
    const [copy = ""] = (await readdir(folder)).filter((name) => name.includes("before-repair"));
    expect(existsSync(join(folder, copy, "PG_VERSION"))).toBe(true);
    expect(printed.join("\n")).toContain(`The data as it was found is in ${join(folder, copy)}`);

    const again = await makeStudioDatabase({ home, databaseUrl: undefined }, (line) => printed.push(line));
    await again.close();
    expect((await readdir(folder)).filter((name) => name.includes("before-repair"))).toEqual([copy]);
  },
);
