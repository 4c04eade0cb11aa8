/**
 * Writes prisma/migrations/TIME_NAME/migration.sql with the changes in schema.prisma since the last migration, for
 * developers: `npx tsx prisma/newMigration.ts NAME`. Partial indexes, which Prisma cannot express, are added by hand.
 */
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import type { SchemaEngine as Engine } from "@prisma/schema-engine-wasm";
import { Pool } from "pg";
import { makePostgres } from "#server/db/embedded/postgres.ts";
import { folder, migrationsFolder } from "./migrations.ts";

/** Prisma's schema engine as WebAssembly, which needs no download and is the same on every platform. */
type SchemaEngine = { engine: Engine; close: () => Promise<void> };

/** Filter of the schema engine: the whole database belongs to the studio, so no table or enum is left out. */
const allOfIt = { externalTables: [], externalEnums: [] };

async function makeSchemaEngine(databaseUrl: string): Promise<SchemaEngine> {
  const { SchemaEngine } = await (bindings ??= loadBindings());
  // The engine gets a separate pool, because freeing the engine leaves its connections open.
  const pool = new Pool({ connectionString: databaseUrl, max: 2 });
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg(pool));
  const engine = await SchemaEngine.new({ datamodels: [await readSchema()] }, () => {}, adapter);
  const close = async () => {
    engine.free();
    await pool.end();
  };
  return { engine, close };
}

async function readSchema(): Promise<[path: string, content: string]> {
  return ["schema.prisma", await readFile(join(folder, "schema.prisma"), "utf8")];
}

// Bindings of the schema engine, loaded once per process: a second instance would free the first one's memory.
let bindings: ReturnType<typeof loadBindings> | undefined;

// The package's entry imports the .wasm file as a module, which Node 20 cannot, so the module is instantiated here.
async function loadBindings() {
  const name = "@prisma/schema-engine-wasm/schema_engine_bg";
  const path = createRequire(import.meta.url).resolve(name);
  const glue = await import("@prisma/schema-engine-wasm/schema_engine_bg");
  const module = await WebAssembly.compile(await readFile(path.replace(/\.js$/, ".wasm")));
  const instance = await WebAssembly.instantiate(module, { "./schema_engine_bg.js": glue });
  glue.__wbg_set_wasm(instance.exports);
  const start = instance.exports["__wbindgen_start"];
  if (typeof start === "function") start();
  return glue;
}

/** Returns the schema of the newest migration's commit, as the engine reads databases only with a native driver. */
function readMigratedSchema(): string {
  const git = (...words: string[]) => execFileSync("git", words, { cwd: folder, encoding: "utf8" }).trimEnd();
  if (git("status", "--porcelain", "--", "migrations") !== "") throw new Error("commit the newest migration first");
  const commit = git("log", "-1", "--format=%H", "--", "migrations");
  return `${git("show", `${commit}:./schema.prisma`)}\n`;
}

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
  const datamodel = (text: string) => ({ tag: "schemaDatamodel" as const, files: [{ path, content: text }] });
  const from = datamodel(readMigratedSchema());
  const { engine, close } = await makeSchemaEngine(url);
  const changes = { from, to: datamodel(content), script: true, exitCode: true, filters: allOfIt };
  const { stdout: sql, exitCode } = await engine.diff(changes);
  await close();
  if (sql === null || exitCode === 0) return console.log("the migrations already say what the schema says");
  const time = new Date().toISOString().replaceAll(/\D/g, "").slice(0, 14);
  const file = join(migrationsFolder, `${time}_${migrationName}`, "migration.sql");
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, sql);
  console.log(`wrote ${file}`);
}
