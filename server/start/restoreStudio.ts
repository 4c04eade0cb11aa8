import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "#packages/base";
import { makePostgres } from "#server/db/embedded/postgres.ts";
import { restoringFile } from "#server/engine/backup/contents.ts";
import {
  beginRestore,
  emptyFolder,
  endRestore,
  restore,
  type Restored,
  type RestoreParts,
} from "#server/engine/backup/restore.ts";

type Parts = Omit<RestoreParts, "databaseUrl"> & {
  databaseUrl: string | undefined;
  /** Called with the restored database before the embedded server stops. */
  whenRestored?: (databaseUrl: string) => Promise<void>;
};

/** Restores a backup into an empty state folder, whose embedded database is created unless a database is given. */
export async function restoreStudio({ whenRestored, ...parts }: Parts): Promise<Restored> {
  const { home, databaseUrl, path, onProgress } = parts;
  if (!existsSync(path)) throw new AppError("not_found", `there is no file ${path}`);
  await beginRestore(home, () => removeDatabase(home));
  try {
    const postgres = databaseUrl === undefined ? await makePostgres({ home, isDurable: true }) : undefined;
    try {
      const url = postgres?.url ?? databaseUrl ?? "";
      const restored = await restore({ home, databaseUrl: url, path, onProgress });
      await whenRestored?.(url);
      await endRestore(home);
      return restored;
    } finally {
      await postgres?.close();
    }
  } catch (error) {
    // The folder was empty before, so everything in it is this restore's.
    await removeDatabase(home);
    await emptyFolder(home);
    throw error;
  }
}

/** Removes the embedded database of an unfinished restore, which may lie outside the state folder. */
async function removeDatabase(home: string): Promise<void> {
  if (!existsSync(join(home, "database.json"))) return;
  const postgres = await makePostgres({ home, isDurable: true });
  await postgres.close();
  await rm(dirname(postgres.dataFolder), { recursive: true, force: true });
}

/** Throws if a restore into the state folder was stopped. */
export function checkRestored(home: string): void {
  if (!existsSync(join(home, restoringFile))) return;
  throw new AppError(
    "conflict",
    `a restore into ${home} was stopped: repeat it (npx arlarena restore), or empty the folder`,
  );
}
