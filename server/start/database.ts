import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findMissing, findUnfinished, migrate } from "#prisma/migrate.ts";
import { copyData, restoreData } from "#server/db/embedded/location.ts";
import { makePostgres, type Postgres } from "#server/db/embedded/postgres.ts";
import { adoptAttemptFolders } from "#server/db/storage/moveAttemptFolders.ts";
import { makeReserve } from "#server/db/embedded/postmaster.ts";
import { formatBytes, AppError } from "#packages/base";
import { readDisk } from "#server/engine/launchers/files.ts";

export type StudioDatabase = { url: string; close: () => Promise<void> };

/** Opens the configured database, or starts the embedded one, and brings its tables to the current version. */
export async function makeStudioDatabase(
  { home, databaseUrl }: { home: string; databaseUrl: string | undefined },
  print: (line: string) => void,
): Promise<StudioDatabase> {
  const { restore, ...database } = databaseUrl === undefined ? await keepPostgres(home, print) : foreign(databaseUrl);
  try {
    const applied = await migrate(database.url);
    if (applied.length > 0) print(`Database brought up to date (${applied.length} migrations)`);
    await adoptAttemptFolders(database.url, join(home, "runs"));
    return database;
  } catch (cause) {
    await database.close();
    const { host } = new URL(database.url);
    const after = (await restore?.()) ?? "";
    throw new AppError("unavailable", `the database at ${host} cannot be used: ${reasonOf(cause)}${after}`, { cause });
  }
}

/** `restore` undoes the migrations of this start, if there are any, once the database is closed; says what it did. */
type Restorable = StudioDatabase & { restore?: () => Promise<string> };

function foreign(url: string): Restorable {
  if (!URL.canParse(url) || !/^postgres(ql)?:$/.test(new URL(url).protocol)) {
    throw new AppError("bad_input", "DATABASE_URL is not of the form postgresql://user:password@host:port/database");
  }
  return { url, close: async () => {} };
}

// A server that dies is restarted on the same port, so that its address stays valid.
async function keepPostgres(home: string, print: (line: string) => void): Promise<Restorable> {
  let isClosing = false;
  const { copy, ...opened } = await copyBefore(await makePostgres({ home, isDurable: true }), { home, print });
  let { postgres } = opened;
  if (!postgres.dataFolder.startsWith(home)) {
    print(`PostgreSQL runs as another user, who cannot access ${home}; its data is in ${postgres.dataFolder}`);
  }
  const stopping = new AbortController();
  const watch = async (watched: Postgres): Promise<void> => {
    await watched.exited;
    if (isClosing) return;
    print(`PostgreSQL ended; starting it again (log: ${join(home, "postgres.log")})`);
    const again = await startAgain(home, { print, signal: stopping.signal });
    if (again === undefined) return;
    postgres = again;
    if (isClosing) return postgres.close();
    return watch(postgres);
  };
  const watching = watch(postgres);
  const watchingDisk = watchDisk(postgres.dataFolder, { print, signal: stopping.signal });
  const close = async () => {
    isClosing = true;
    stopping.abort();
    await postgres.close();
    await Promise.all([watching, watchingDisk]);
  };
  if (copy === undefined) return { url: postgres.url, close };
  const restore = async () => {
    await restoreData(postgres.dataFolder, copy);
    return "; the data is as it was before this start, and the earlier version can use it";
  };
  return { url: postgres.url, close, restore };
}

type Home = { home: string; print: (line: string) => void };

/** Copies the data folder of a database with data before `migrate` changes it, so that an upgrade can be undone. */
async function copyBefore(postgres: Postgres, { home, print }: Home): Promise<{ postgres: Postgres; copy?: string }> {
  let copy: string;
  try {
    const [[begun], missing] = [await findUnfinished(postgres.url), await findMissing(postgres.url)];
    if (begun === undefined && missing.length === 0) return { postgres };
    await postgres.close();
    copy = await copyData(postgres.dataFolder, begun === undefined ? "upgrade" : "repair", new Date());
    print(
      begun === undefined
        ? `Upgrading the database. The data from before is in ${copy}; delete it when you need no way back`
        : `A start was stopped during the migration ${begun}: it is completed now. The data as it was found is in ${copy}`,
    );
  } catch (cause) {
    await postgres.close();
    throw new AppError("unavailable", `the database of ${home} cannot be used: ${reasonOf(cause)}`, { cause });
  }
  return { postgres: await makePostgres({ home, isDurable: true }), copy };
}

type Patience = { print: (line: string) => void; signal: AbortSignal };

const againMs = 2000;

/** Starts PostgreSQL, repeatedly if that fails, because a full disk may be temporary. Undefined if aborted. */
async function startAgain(home: string, { print, signal }: Patience): Promise<Postgres | undefined> {
  let lastReason = "";
  while (!signal.aborted) {
    try {
      return await makePostgres({ home, isDurable: true });
    } catch (error) {
      const reason = reasonOf(error);
      if (reason !== lastReason) print(`The database is down; a restart is tried every ${againMs / 1000} s: ${reason}`);
      lastReason = reason;
      await sleep(againMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}

/** Keeps disk space reserved for the database, and reports when its disk becomes full or has space again. */
async function watchDisk(dataFolder: string, { print, signal }: Patience): Promise<void> {
  const reserve = makeReserve(dataFolder);
  let wasFull = false;
  while (!signal.aborted) {
    const disk = await readDisk(dataFolder);
    const isFull = disk !== undefined && (await reserve.look(disk));
    if (disk && isFull && !wasFull)
      print(`The disk of the database is full (${formatBytes(disk.freeBytes)} free): runs wait`);
    if (disk && !isFull && wasFull) print(`There is room on the disk again (${formatBytes(disk.freeBytes)} free)`);
    wasFull = isFull;
    await sleep(lookMs, undefined, { signal }).catch(() => undefined);
  }
}

const lookMs = 500;

function reasonOf(error: unknown): string {
  const text =
    error instanceof Error ? error.message || ("code" in error ? String(error.code) : error.name) : String(error);
  return text.split("\n")[0] ?? text;
}
