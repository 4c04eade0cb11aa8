import { readStudio } from "#server/config/studio.ts";
import { type Database, makeDatabase } from "#server/db/storage/client.ts";

/** Calls `use` with the database of the studio that runs on a state folder, and returns its result. */
export async function withDatabase<Result>(
  home: string,
  use: (database: Database) => Promise<Result>,
): Promise<Result> {
  const studio = await readStudio(home);
  if (studio === undefined) throw new Error(`no studio is running on ${home}`);
  const database = makeDatabase(studio.databaseUrl, { maxConnections: 1 });
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}
