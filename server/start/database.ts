import { join } from "node:path";
import { migrate } from "#prisma/migrate.ts";
import { makePostgres, type Postgres } from "../db/embedded/postgres.ts";
import { AppError } from "../domain/errors.ts";

export type StudioDatabase = { url: string; close: () => Promise<void> };

/** The database that the configuration names, or the embedded one, kept running until closed; either is migrated. */
export async function makeStudioDatabase(
  { home, databaseUrl }: { home: string; databaseUrl: string | undefined },
  say: (line: string) => void,
): Promise<StudioDatabase> {
  const database = databaseUrl === undefined ? await keepPostgres(home, say) : foreign(databaseUrl);
  try {
    const applied = await migrate(database.url);
    if (applied.length > 0) say(`Database brought up to date (${applied.length} migrations)`);
    return database;
  } catch (cause) {
    await database.close();
    const { host } = new URL(database.url);
    throw new AppError("unavailable", `the database at ${host} cannot be used: ${reasonOf(cause)}`, { cause });
  }
}

function foreign(url: string): StudioDatabase {
  if (!URL.canParse(url) || !/^postgres(ql)?:$/.test(new URL(url).protocol)) {
    throw new AppError("bad_input", "DATABASE_URL is not of the form postgresql://user:password@host:port/database");
  }
  return { url, close: async () => {} };
}

// A server that dies under us (killed, out of memory) comes back on the same port, so that nobody needs a new address.
async function keepPostgres(home: string, say: (line: string) => void): Promise<StudioDatabase> {
  let isClosing = false;
  let postgres = await makePostgres({ home, isDurable: true });
  if (!postgres.dataFolder.startsWith(home)) {
    say(`PostgreSQL runs as another user, who cannot enter ${home}; its data is in ${postgres.dataFolder}`);
  }
  const watch = async (watched: Postgres): Promise<void> => {
    await watched.exited;
    if (isClosing) return;
    say(`PostgreSQL ended; starting it again (log: ${join(home, "postgres.log")})`);
    postgres = await makePostgres({ home, isDurable: true });
    if (isClosing) return postgres.close();
    return watch(postgres);
  };
  const watching = watch(postgres).catch((error: unknown) => say(`The database is down: ${reasonOf(error)}`));
  const close = async () => {
    isClosing = true;
    await postgres.close();
    await watching;
  };
  return { url: postgres.url, close };
}

function reasonOf(error: unknown): string {
  const text =
    error instanceof Error ? error.message || ("code" in error ? String(error.code) : error.name) : String(error);
  return text.split("\n")[0] ?? text;
}
