import { randomBytes } from "node:crypto";
import { constants, existsSync } from "node:fs";
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  statfs,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { z } from "zod";
import { formatBytes } from "#packages/base";
import { type Account, canReach, chooseAccount } from "./account.ts";
import { bindDatabase } from "./binding.ts";

/** Folders, port and password of an embedded database. Only the state folder's owner can read the password. */
export type Location = { dataFolder: string; sharedFolder: string; password: string; port: number | undefined };

const Identity = z.object({ id: z.string(), password: z.string(), port: z.number().optional() });
type Identity = z.infer<typeof Identity>;

/**
 * Chooses the data folder of the embedded database. It lies in the state folder, unless root started the studio and
 * PostgreSQL's account cannot enter the state folder. In that case it lies beside the system's other databases, or in
 * the temporary folder if the state folder is temporary. If the state folder already contains a database or is a
 * separate disk, the account's group gets permission to traverse it instead. Throws if the data are another folder's.
 * @param isDurable false if the data may be deleted once the state folder is gone
 */
export async function locateDatabase(home: string, account: Account, isDurable = true): Promise<Location> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const { id, password, port } = await readIdentity(home);
  const sharedFolder = sharedFolderOf(home);
  const folder = await chooseFolder({ home, id, sharedFolder }, account);
  await mkdir(folder, { recursive: true });
  await bindDatabase(folder, { home, id });
  const mark = join(folder, throwaway);
  await (isDurable ? rm(mark, { force: true }) : writeFile(mark, ""));
  return { sharedFolder, password, port, dataFolder: await takeOwnership(folder, account) };
}

type Places = { home: string; id: string; sharedFolder: string };

async function chooseFolder({ home, id, sharedFolder }: Places, account: Account): Promise<string> {
  const here = join(home, "postgres");
  const known = isCluster(here) ? undefined : await readLocation(home);
  if (known === undefined) {
    await mkdir(here, { recursive: true, mode: 0o711 });
    if (isCluster(here) || (await isDiskOfItsOwn(home))) await letPass(home, account);
    if (canReach(account, join(here, "."))) return here;
    if (isCluster(here))
      throw new Error(`the user ${account.name} cannot access the database in ${here}: a parent folder denies access`);
    // A folder that is not empty stays: it may contain copies of a database.
    await rmdir(here).catch(() => undefined);
  }
  if (sharedFolder.startsWith(tmpdir())) await forgetVanished(sharedFolder);
  const folder = known ?? join(sharedFolder, id);
  await claim(dirname(folder));
  return folder;
}

/** Reads the database's folder outside the state folder; undefined if none is stored. Throws if it is lost. */
async function readLocation(home: string): Promise<string | undefined> {
  const path = join(home, "postgres.location");
  const folder = (await readFile(path, "utf8").catch(() => "")).trim();
  if (folder === "" || isCluster(folder)) return folder || undefined;
  throw new Error(
    `the database of ${home} was in ${folder}, which is missing or empty; restore that folder, or delete ${path} to start with an empty database`,
  );
}

/** Stores the path of a database outside the state folder. The database must exist, because later starts require it. */
export async function rememberLocation(home: string, dataFolder: string): Promise<void> {
  const folder = dirname(dataFolder);
  if (folder !== join(home, "postgres")) await writeFile(join(home, "postgres.location"), `${folder}\n`);
}

export async function rememberPort(home: string, port: number): Promise<void> {
  await writeIdentity(home, { ...(await readIdentity(home)), port });
}

// Executables are started from this folder, so a folder that somebody else created must not be trusted.
async function claim(sharedFolder: string): Promise<void> {
  await mkdir(sharedFolder, { recursive: true });
  const { uid } = await lstat(sharedFolder);
  if (uid !== process.getuid?.()) throw new Error(`${sharedFolder} belongs to user ${uid}; remove it or set TMPDIR`);
  await chmod(sharedFolder, 0o711);
}

async function takeOwnership(folder: string, account: Account): Promise<string> {
  const { uid, gid } = account.ids;
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
  await chmod(folder, 0o700);
  return join(folder, "data");
}

function isCluster(folder: string): boolean {
  return existsSync(join(folder, "data", "PG_VERSION"));
}

// A volume mounted into a container survives the container, but data outside the volume do not.
async function isDiskOfItsOwn(home: string): Promise<boolean> {
  const elsewhere = await stat("/var/lib").catch(() => undefined);
  return elsewhere !== undefined && (await stat(home)).dev !== elsewhere.dev;
}

// Permits PostgreSQL's account only to traverse the state folder: it can open files by name, but cannot list them.
async function letPass(home: string, { ids: { gid } }: Account): Promise<void> {
  if (gid === undefined) return;
  await chown(home, 0, gid);
  await chmod(home, 0o710);
}

function sharedFolderOf(home: string): string {
  const isTemporary = !relative(tmpdir(), home).startsWith("..");
  return isTemporary ? join(tmpdir(), "arlarena-databases") : "/var/lib/arlarena";
}

/** File that marks a database whose data may be deleted once its state folder is gone. */
const throwaway = "throwaway";

// Deletes the marked databases, those of tests for example, of temporary state folders that no longer exist. Other
// databases stay: their state folder may only have been renamed.
async function forgetVanished(sharedFolder: string): Promise<void> {
  if (!existsSync(sharedFolder)) return;
  for (const id of await readdir(sharedFolder)) {
    // An empty file means that another process is about to write the state folder's path to it.
    const home = await readFile(join(sharedFolder, id, "home"), "utf8").catch(() => "");
    if (home === "" || existsSync(home) || !existsSync(join(sharedFolder, id, throwaway))) continue;
    // A PostgreSQL server that is stopping may still write files. The next start of the studio removes them.
    await rm(join(sharedFolder, id), { recursive: true, force: true }).catch(() => undefined);
  }
}

async function readIdentity(home: string): Promise<Identity> {
  const path = identityPath(home);
  if (existsSync(path)) return Identity.parse(JSON.parse(await readFile(path, "utf8")));
  const fresh = { id: randomBytes(8).toString("hex"), password: randomBytes(24).toString("hex") };
  await writeIdentity(home, fresh);
  return fresh;
}

async function writeIdentity(home: string, identity: Identity): Promise<void> {
  // Renames the complete file: a full disk must not destroy the password of an existing database.
  const draft = `${identityPath(home)}.new`;
  await writeFile(draft, JSON.stringify(identity), { mode: 0o600 });
  await rename(draft, identityPath(home));
}

function identityPath(home: string): string {
  return join(home, "database.json");
}

/** Reason for a copy of the data, part of its name. */
export type CopyReason = "repair" | "upgrade";

/** Copies a stopped PostgreSQL's data, under a temporary name until complete. `restoreData` restores the copy. */
export async function copyData(dataFolder: string, reason: CopyReason, now: Date): Promise<string> {
  const copy = `${dataFolder}.before-${reason}-${now.toISOString().replaceAll(/\D/g, "").slice(0, 14)}`;
  const partial = `${dataFolder}.copying`;
  await rm(partial, { recursive: true, force: true });
  await checkRoomFor(dataFolder, reason);
  // File systems that can (btrfs, XFS) share the copy's blocks with the original until one of them changes.
  const mode = constants.COPYFILE_FICLONE;
  await cp(dataFolder, partial, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true, mode });
  const { uid, gid } = chooseAccount().ids;
  if (uid !== undefined && gid !== undefined) {
    for (const path of ["", ...(await readdir(partial, { recursive: true }))])
      await chown(join(partial, path), uid, gid);
  }
  await rename(partial, copy);
  return copy;
}

/** Puts the copy of a stopped PostgreSQL's data in the place of the data, which are deleted. */
export async function restoreData(dataFolder: string, copy: string): Promise<void> {
  const failed = `${dataFolder}.failed`;
  await rm(failed, { recursive: true, force: true });
  await rename(dataFolder, failed);
  await rename(copy, dataFolder);
  await rm(failed, { recursive: true, force: true });
}

async function checkRoomFor(dataFolder: string, reason: CopyReason): Promise<void> {
  let numBytes = 0;
  for (const path of await readdir(dataFolder, { recursive: true }))
    numBytes += (await stat(join(dataFolder, path))).size;
  const { bavail, bsize } = await statfs(dataFolder);
  if (numBytes < bavail * bsize) return;
  throw new Error(
    `before the ${reason}, ${dataFolder} is copied: the copy needs ${formatBytes(numBytes)}, but only ${formatBytes(bavail * bsize)} are free; free space on that disk`,
  );
}
