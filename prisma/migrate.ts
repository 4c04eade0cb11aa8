import { allOfIt, makeSchemaEngine, readMigrations } from "./schemaEngine.ts";

/** Brings the database up to prisma/migrations; returns the names of the migrations it applied, oldest first. */
export async function migrate(databaseUrl: string): Promise<readonly string[]> {
  const { engine, close } = await makeSchemaEngine(databaseUrl);
  try {
    const migrationsList = await readMigrations();
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: allOfIt });
    return appliedMigrationNames;
  } finally {
    await close();
  }
}
