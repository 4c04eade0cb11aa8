import { Client } from "pg";
import { readMigrations } from "./migrations.ts";

/** Brings the database up to prisma/migrations; returns the names of the migrations it applied, oldest first. */
export async function migrate(databaseUrl: string): Promise<readonly string[]> {
  if (await isUpToDate(databaseUrl)) return [];
  const { allOfIt, makeSchemaEngine } = await import("./schemaEngine.ts");
  const { engine, close } = await makeSchemaEngine(databaseUrl);
  try {
    const migrationsList = await readMigrations();
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: allOfIt });
    return appliedMigrationNames;
  } finally {
    await close();
  }
}

// Nearly every start finds nothing to do, and can tell without half a second of loading the engine.
async function isUpToDate(databaseUrl: string): Promise<boolean> {
  const { migrationDirectories } = await readMigrations();
  const client = new Client({ connectionString: databaseUrl });
  try {
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      `SELECT migration_name AS name FROM _prisma_migrations
       WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY migration_name COLLATE "C"`,
    );
    return rows.map(({ name }) => name).join() === migrationDirectories.map(({ path }) => path).join();
  } catch {
    // No such table, or no such server: the engine brings the one, and says what is wrong with the other.
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
