import { readFile, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of schema and migrations. */
export const folder = dirname(fileURLToPath(import.meta.url));
export const migrationsFolder = join(folder, "migrations");

/** prisma/migrations as the engine wants it: oldest first, read whole. */
export async function readMigrations() {
  const baseDir = migrationsFolder;
  const entries = await readdir(baseDir, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const migrationDirectories = names.toSorted().map(async (path) => {
    const value = await readFile(join(baseDir, path, "migration.sql"), "utf8");
    return { path, migrationFile: { path: "migration.sql", content: { tag: "ok" as const, value } } };
  });
  const lockfile = { path: "migration_lock.toml", content: 'provider = "postgresql"\n' };
  return { baseDir, lockfile, shadowDbInitScript: "", migrationDirectories: await Promise.all(migrationDirectories) };
}
