import { readFile, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const folder = dirname(fileURLToPath(import.meta.url));
export const migrationsFolder = join(folder, "migrations");

export type Migration = { name: string; sql: string };

export async function readMigrations(): Promise<Migration[]> {
  const entries = await readdir(migrationsFolder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return await Promise.all(
    names.toSorted().map(async (name) => {
      return { name, sql: await readFile(join(migrationsFolder, name, "migration.sql"), "utf8") };
    }),
  );
}
