import { createHash, type Hash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { lstat, open, readdir, readlink, realpath, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { AppError } from "#packages/base";
import { openSnapshot, type Snapshot } from "#server/db/storage/copyTables.ts";
import { exists, ownersAlone } from "#server/engine/launchers/files.ts";
import { ignoreMissing } from "#server/config/fileErrors.ts";
import {
  filesFolder,
  type Head,
  headPath,
  isContained,
  type Progress,
  type Sums,
  sumsPath,
  tablesFolder,
} from "./contents.ts";
import { archiveEnd, type Entry, paddingOf, writeHeader } from "./tar.ts";

export type BackupParts = {
  home: string;
  databaseUrl: string;
  /** File to write, which must not exist. */
  path: string;
  version: string;
  onProgress: (progress: Progress) => void;
};

export type BackedUp = { numRows: number; numTables: number; numFiles: number };

/**
 * Writes database and state folder into one file, also while the studio runs and trains. The tables are read in one
 * transaction; the files are read afterwards, so each log contains at least the lines that the tables know.
 */
export async function backUp(parts: BackupParts): Promise<BackedUp> {
  const { path, databaseUrl } = parts;
  if (await exists(path)) throw new AppError("conflict", `${path} exists already; name another file`);
  const partial = `${path}.partial`;
  const snapshot = await openSnapshot(databaseUrl);
  const sums: Sums = { rows: {}, sequences: {}, files: {} };
  try {
    const archive = writeArchive(snapshot, sums, {
      ...parts,
      skips: await Promise.all([partial, path].map(realPathOf)),
    });
    await pipeline(
      archive,
      createGzip({ level: 3 }),
      createWriteStream(partial, { flags: "w", ...ownersAlone, flush: true }),
    );
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    await snapshot.close();
  }
  const counts = Object.values(sums.rows);
  const numRows = counts.reduce((sum, count) => sum + count, 0);
  return { numRows, numTables: counts.length, numFiles: Object.keys(sums.files).length };
}

async function realPathOf(path: string): Promise<string> {
  return join(await realpath(join(path, "..")), path.split("/").at(-1) ?? "");
}

type Parts = BackupParts & { skips: readonly string[] };

async function* writeArchive(snapshot: Snapshot, sums: Sums, parts: Parts): AsyncGenerator<Buffer> {
  const { home, version, onProgress } = parts;
  const { tables, migrations } = snapshot;
  const head: Head = {
    format: "arlarena-backup-1",
    version,
    createdAt: new Date().toISOString(),
    home: await realpath(home),
    migrations: [...migrations],
    tables: tables.map(({ name, columns }) => ({ name, columns: [...columns] })),
  };
  yield* writeWhole(headPath, Buffer.from(JSON.stringify(head, undefined, 2)));
  let bytes = 0;
  for (const [index, table] of tables.entries()) {
    const { data, countRows } = snapshot.copyOut(table);
    let number = 0;
    for await (const part of gather(data)) {
      yield* writeWhole(`${tablesFolder}/${table.name}/${String(number++).padStart(6, "0")}`, part);
      bytes += part.length;
      onProgress({ what: "tables", done: index, total: tables.length, bytes });
    }
    sums.rows[table.name] = countRows();
  }
  sums.sequences = await snapshot.readSequences();
  await snapshot.close();
  yield* writeFiles(snapshot, sums, parts);
  yield* writeWhole(sumsPath, Buffer.from(JSON.stringify(sums)));
  yield archiveEnd;
}

const partBytes = 4 << 20;

/** Joins chunks into parts of at least 4 MiB, because an entry's size is written before its content. */
async function* gather(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let numBytes = 0;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    numBytes += chunk.length;
    if (numBytes < partBytes) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    numBytes = 0;
  }
  if (numBytes > 0) yield Buffer.concat(waiting);
}

async function* writeFiles(snapshot: Snapshot, sums: Sums, { home, skips, onProgress }: Parts): AsyncGenerator<Buffer> {
  const root = await realpath(home);
  const paths: string[] = [];
  for await (const path of listPaths(root, "", snapshot.attempts))
    if (!skips.includes(join(root, path))) paths.push(path);
  let bytes = 0;
  for (const [index, path] of paths.entries()) {
    for await (const chunk of writeFile(root, path, sums)) {
      bytes += chunk.length;
      yield chunk;
      onProgress({ what: "files", done: index, total: paths.length, bytes });
    }
  }
}

async function* listPaths(root: string, folder: string, attempts: ReadonlySet<string>): AsyncGenerator<string> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(ignoreMissing);
  for (const entry of entries ?? []) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (!isContained(path, attempts)) continue;
    // Sockets and pipes have no content.
    if (entry.isDirectory() || entry.isFile() || entry.isSymbolicLink()) yield path;
    if (entry.isDirectory()) yield* listPaths(root, path, attempts);
  }
}

// A file that is gone, such as an old checkpoint, is left out. A file that grows is read up to its size at opening.
async function* writeFile(root: string, path: string, sums: Sums): AsyncGenerator<Buffer> {
  const full = join(root, path);
  const found = await lstat(full).catch(ignoreMissing);
  if (found === undefined) return;
  const entry: Entry = {
    path: `${filesFolder}/${path}`,
    kind: "file",
    mode: found.mode,
    mtimeMs: found.mtimeMs,
    size: 0,
    target: "",
  };
  if (found.isDirectory()) return yield writeHeader({ ...entry, kind: "folder" });
  if (found.isSymbolicLink()) return yield writeHeader({ ...entry, kind: "link", target: await readlink(full) });
  const file = await open(full).catch(ignoreMissing);
  if (file === undefined) return;
  try {
    const { size } = await file.stat();
    yield writeHeader({ ...entry, size });
    const hash = createHash("sha256");
    for (let at = 0; at < size;) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(Math.min(1 << 20, size - at)));
      if (bytesRead === 0) throw new AppError("unavailable", `${full} became shorter while it was read; try again`);
      at += bytesRead;
      yield add(hash, buffer.subarray(0, bytesRead));
    }
    yield Buffer.alloc(paddingOf(size));
    sums.files[path] = hash.digest("hex");
  } finally {
    await file.close();
  }
}

function add(hash: Hash, chunk: Buffer): Buffer {
  hash.update(chunk);
  return chunk;
}

function* writeWhole(path: string, content: Buffer): Generator<Buffer> {
  yield writeHeader({ path, kind: "file", mode: 0o600, mtimeMs: Date.now(), size: content.length, target: "" });
  yield content;
  yield Buffer.alloc(paddingOf(content.length));
}
