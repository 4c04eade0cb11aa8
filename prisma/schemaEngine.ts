import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import { Pool } from "pg";
import type { SchemaEngine as Engine } from "@prisma/schema-engine-wasm";
import { folder } from "./migrations.ts";

/** Prisma's schema engine as WebAssembly: nothing to download, the same on every platform. */
export type SchemaEngine = { engine: Engine; close: () => Promise<void> };

/** Everything in the database belongs to the studio: no table or enum is managed by others. */
export const allOfIt = { externalTables: [], externalEnums: [] };

export async function makeSchemaEngine(databaseUrl: string): Promise<SchemaEngine> {
  const { SchemaEngine } = await (bindings ??= loadBindings());
  // A separate pool, because freeing the engine leaves its connections open.
  const pool = new Pool({ connectionString: databaseUrl, max: 2 });
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg(pool));
  const engine = await SchemaEngine.new({ datamodels: [await readSchema()] }, () => {}, adapter);
  const close = async () => {
    engine.free();
    await pool.end();
  };
  return { engine, close };
}

/** The schema's file name and text. */
export async function readSchema(): Promise<[path: string, content: string]> {
  return ["schema.prisma", await readFile(join(folder, "schema.prisma"), "utf8")];
}

// Once per process: a second instance would free the memory of the first one's engines.
let bindings: ReturnType<typeof loadBindings> | undefined;

// The package's entry imports the .wasm file as a module, which Node 20 cannot, so it is instantiated by hand.
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
