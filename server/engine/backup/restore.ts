import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, lstat, mkdir, open, readdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { AppError, formatCount } from "#packages/base";
import { migrate } from "#prisma/migrate.ts";
import { readMigrations } from "#prisma/migrations.ts";
import { type CopyIn, findTable, type Load, openLoad } from "#server/db/storage/copyTables.ts";
import { type LiveAttempt, moveAttemptFolders } from "#server/db/storage/moveAttemptFolders.ts";
import { ownersAlone } from "#server/engine/launchers/files.ts";
import { filesFolder, Head, headPath, type Progress, restoringFile, Sums, sumsPath, tablesFolder } from "./contents.ts";
import { type Entry, readEntries } from "./tar.ts";

export type RestoreParts = {
  /** State folder to fill; it must be empty or missing. */
  home: string;
  /** Empty database to fill. */
  databaseUrl: string;
  path: string;
  onProgress: (progress: Progress) => void;
};

export type Restored = {
  head: Head;
  numRows: number;
  numTables: number;
  numFiles: number;
  applied: readonly string[];
  live: readonly LiveAttempt[];
};

/**
 * Fills an empty state folder and an empty database from a backup, brings the tables to this studio's schema, and
 * compares rows and files with the sums at the backup's end. Throws if anything differs.
 */
export async function restore(parts: RestoreParts): Promise<Restored> {
  const { home, databaseUrl, path, onProgress } = parts;
  const table = await findTable(databaseUrl);
  if (table !== undefined) {
    const { host, pathname } = new URL(databaseUrl);
    throw new AppError(
      "conflict",
      `the database ${host}${pathname} is not empty (table ${table}); name an empty one in DATABASE_URL`,
    );
  }
  const entries = readEntries(unzip(path));
  try {
    const head = await readHead(entries);
    const known = await readMigrations();
    const names = new Set(known.map(({ name }) => name));
    const newer = head.migrations.filter((name) => !names.has(name));
    if (newer.length > 0)
      throw new AppError(
        "bad_input",
        `the backup was made by a newer studio (version ${head.version}, schema ${newer.at(-1)}): update this studio first`,
      );
    await migrate(
      databaseUrl,
      known.filter(({ name }) => head.migrations.includes(name)),
    );
    const load = await openLoad(databaseUrl);
    try {
      const sums = await fill(entries, { load, head, home, onProgress });
      await checkRows(load, sums);
      await checkFiles(sums, { home, onProgress });
      await load.commit(sums.sequences);
      const applied = await migrate(databaseUrl, known);
      const live = await moveAttemptFolders(databaseUrl, join(home, "runs"));
      await forgetProcesses(live);
      const counts = Object.values(sums.rows);
      const numRows = counts.reduce((sum, count) => sum + count, 0);
      return { head, numRows, numTables: counts.length, numFiles: Object.keys(sums.files).length, applied, live };
    } finally {
      await load.close();
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("bad_input", `${path} cannot be restored: ${reasonOf(cause)}`, { cause });
  }
}

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "Z_BUF_ERROR") return "the file ends early: it is incomplete";
  if (code === "Z_DATA_ERROR") return "it is damaged, or no backup of a studio";
  return cause instanceof Error ? cause.message : String(cause);
}

type Entries = ReturnType<typeof readEntries>;

function unzip(path: string): AsyncIterable<Buffer> {
  const file = createReadStream(path, { highWaterMark: 1 << 20 });
  const zipped = createGunzip({ chunkSize: 1 << 20 });
  // An error of the file reaches the reader through the second stream.
  pipeline(file, zipped).catch(() => {});
  return zipped;
}

async function readHead(entries: Entries): Promise<Head> {
  const first = await entries.next();
  if (first.done === true || first.value.entry.path !== headPath) throw new Error("it is no backup of a studio");
  return Head.parse(JSON.parse(await readText(first.value.content)));
}

async function readText(content: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts).toString();
}

type Into = { load: Load; head: Head; home: string; onProgress: (progress: Progress) => void };

async function fill(entries: Entries, into: Into): Promise<Sums> {
  const { load, head, home, onProgress } = into;
  const links = new Set<string>();
  let copying: { table: string; copy: CopyIn } | undefined;
  let [bytes, done, sums]: [number, number, Sums | undefined] = [0, 0, undefined];
  for await (const { entry, content } of entries) {
    const [top = "", ...rest] = entry.path.split("/");
    if (top === tablesFolder) {
      const [table = ""] = rest;
      if (copying?.table !== table) {
        await copying?.copy.end();
        copying = { table, copy: load.copyIn(findIn(head, table)) };
        done = head.tables.findIndex(({ name }) => name === table);
      }
      for await (const chunk of content) await copying.copy.write(chunk);
      bytes += entry.size;
      onProgress({ what: "tables", done, total: head.tables.length, bytes });
      continue;
    }
    if (copying !== undefined) [bytes, done] = [0, 0];
    await copying?.copy.end();
    copying = undefined;
    if (entry.path === sumsPath) sums = Sums.parse(JSON.parse(await readText(content)));
    else if (top === filesFolder) await writeEntry({ ...entry, path: rest.join("/") }, content, { home, links });
    else throw new Error(`it contains the unknown entry ${entry.path}`);
    bytes += entry.size;
    onProgress({ what: "files", done: done++, total: 0, bytes });
  }
  if (sums === undefined) throw new Error("the file ends early: it is incomplete");
  return sums;
}

function findIn({ tables }: Head, name: string): Head["tables"][number] {
  const table = tables.find((one) => one.name === name);
  if (table === undefined) throw new Error(`its head does not list the table ${name}`);
  return table;
}

async function writeEntry(
  entry: Entry,
  content: AsyncIterable<Buffer>,
  { home, links }: { home: string; links: Set<string> },
): Promise<void> {
  const { path, kind, mode, mtimeMs, target } = entry;
  const steps = path.split("/");
  const above = steps.map((_, i) => steps.slice(0, i).join("/"));
  // A path through a link of the archive, or upwards, would leave the state folder.
  if (
    path.startsWith("/") ||
    steps.some((step) => step === "" || step === "." || step === "..") ||
    above.some((one) => links.has(one))
  )
    throw new Error(`its entry ${path} would be written outside the state folder`);
  const full = join(home, path);
  await mkdir(kind === "folder" ? full : dirname(full), { recursive: true });
  if (kind === "folder") return await chmod(full, mode & 0o777);
  if (kind === "link") {
    links.add(path);
    return await symlink(target, full);
  }
  const file = await open(full, "wx", mode & 0o777);
  try {
    for await (const chunk of content) await file.writeFile(chunk);
    await file.datasync();
  } finally {
    await file.close();
  }
  await utimes(full, mtimeMs / 1000, mtimeMs / 1000);
}

async function checkRows(load: Load, { rows }: Sums): Promise<void> {
  for (const [table, expected] of Object.entries(rows)) {
    const found = await load.countRows(table);
    if (found !== expected)
      throw new Error(`table ${table} has ${formatCount(found, "row")}, the backup says ${expected}`);
  }
}

async function checkFiles({ files }: Sums, { home, onProgress }: Pick<Into, "home" | "onProgress">): Promise<void> {
  const expected = Object.entries(files);
  let bytes = 0;
  for (const [index, [path, sum]] of expected.entries()) {
    const hash = createHash("sha256");
    for await (const chunk of createReadStream(join(home, path), { highWaterMark: 1 << 20 })) {
      hash.update(chunk);
      bytes += chunk.length;
    }
    if (hash.digest("hex") !== sum)
      throw new Error(`the file ${path} differs from the one that was backed up (SHA-256)`);
    onProgress({ what: "check", done: index, total: expected.length, bytes });
  }
}

// A job that runs on this machine belongs to the studio that was backed up. Without this change, the restored studio
// would find its process alive, wait for lines that go elsewhere, and end the process when the run is cancelled.
async function forgetProcesses(live: readonly LiveAttempt[]): Promise<void> {
  for (const { kind, folder } of live) {
    if (kind !== "local") continue;
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "pid.json"), JSON.stringify({ pid: 1, startTime: "", bootId: "restored" }));
  }
}

/** Prepares an empty state folder for a restore and marks it. A folder that a stopped restore left is emptied first. */
export async function beginRestore(home: string, clear: () => Promise<void>): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  await chmod(home, 0o700);
  const marker = join(home, restoringFile);
  const isOwn = (await lstat(marker).catch(() => undefined)) !== undefined;
  if (isOwn) {
    await clear();
    await emptyFolder(home);
  }
  const [name] = await readdir(home);
  if (name !== undefined)
    throw new AppError(
      "conflict",
      `the state folder ${home} is not empty (${name}); name another with --home, or move it away`,
    );
  await writeFile(marker, "{}", ownersAlone);
}

export async function endRestore(home: string): Promise<void> {
  await rm(join(home, restoringFile));
}

/** Removes everything in a folder, its marker last, so that a stopped removal is repeated. */
export async function emptyFolder(home: string): Promise<void> {
  for (const name of await readdir(home))
    if (name !== restoringFile) await rm(join(home, name), { recursive: true, force: true });
  await rm(join(home, restoringFile), { force: true });
}
