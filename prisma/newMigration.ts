/**
 * For developers: writes prisma/migrations/TIME_NAME/migration.sql with the changes in schema.prisma since the last migration. `npx tsx
 * prisma/newMigration.ts NAME`. Partial indexes, which Prisma cannot express, are added by hand.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { makePostgres } from "#server/db/embedded/postgres.ts";
import { migrationsFolder } from "./migrations.ts";
import { allOfIt, makeSchemaEngine, readSchema } from "./schemaEngine.ts";

/** The schema after the newest migration. The engine cannot read it from a database without a native driver. */
const migratedSchema = join(migrationsFolder, "migrated.prisma");

const name = process.argv[2];
if (name === undefined || !/^\w+$/.test(name)) {
  console.error("usage: npx tsx prisma/newMigration.ts NAME   (letters, digits and _)");
  process.exit(2);
}
const home = await mkdtemp(join(tmpdir(), "arlarena-migration-"));
const postgres = await makePostgres({ home, isDurable: false });
try {
  await writeMigration(name, postgres.url);
} finally {
  await postgres.close();
  await rm(home, { recursive: true, force: true });
}

async function writeMigration(migrationName: string, url: string): Promise<void> {
  const [path, content] = await readSchema();
  const before = await readFile(migratedSchema, "utf8").catch(() => undefined);
  const datamodel = (text: string) => ({ tag: "schemaDatamodel" as const, files: [{ path, content: text }] });
  const from = before === undefined ? { tag: "empty" as const } : datamodel(before);
  const { engine, close } = await makeSchemaEngine(url);
  const changes = { from, to: datamodel(content), script: true, exitCode: true, filters: allOfIt };
  const { stdout: sql, exitCode } = await engine.diff(changes);
  await close();
  if (sql === null || exitCode === 0) return console.log("the migrations already say what the schema says");
  const time = new Date().toISOString().replaceAll(/\D/g, "").slice(0, 14);
  const file = join(migrationsFolder, `${time}_${migrationName}`, "migration.sql");
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, sql);
  await writeFile(migratedSchema, content);
  console.log(`wrote ${file}`);
}
