import { readdir } from "node:fs/promises";
import { afterAll, expect, test } from "vitest";
import { makeTestDatabase } from "#server/db/testing/testDatabase.ts";
import { migrate } from "./migrate.ts";
import { migrationsFolder } from "./migrations.ts";

const database = await makeTestDatabase();
afterAll(() => database.close());

test("a database that is up to date is left alone; an empty one gets every migration, in order", async () => {
  expect(await migrate(database.url)).toEqual([]);
  await database.pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  const entries = await readdir(migrationsFolder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(await migrate(database.url)).toEqual(names.toSorted());
  expect(await migrate(database.url)).toEqual([]);
  expect((await database.pool.query("SELECT id FROM sweep")).rows).toEqual([]);
});
