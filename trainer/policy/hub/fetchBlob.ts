import { createHash, randomUUID, type Hash } from "node:crypto";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Checksum, ListedFile } from "./listing.ts";
import { reasonOf, Unreached, type Ask } from "./request.ts";

export type Patience = {
  /** Time in ms without received data after which a connection is closed. */
  readonly stallMs: number;
  /** Time in ms without writes after which another process may resume a partial file; above `stallMs`. */
  readonly leftMs: number;
  /** Pause in ms before the second attempt of a failed download. The pause doubles for every further attempt. */
  readonly pauseMs: number;
};
export const usualPatience: Patience = { stallMs: 20_000, leftMs: 30_000, pauseMs: 1000 };
/** Consecutive failed attempts that end a download; received data restart the count at 1. */
const maxFailures = 5;

/** File to download: its size and checksum, its URL, and the path where it is stored. */
export type Blob = ListedFile & { readonly name: string; readonly url: string; readonly path: string };
type Means = { readonly ask: Ask; readonly patience: Patience };

/**
 * Downloads a file under a temporary name and renames it once its checksum is right, so that no reader sees half a
 * file. An abandoned partial file is resumed. While another process downloads the same file, the call waits for it.
 */
export async function fetchBlob(blob: Blob, means: Means): Promise<void> {
  mkdirSync(dirname(blob.path), { recursive: true });
  while (!existsSync(blob.path)) {
    const part = claimPart(blob.path, means.patience.leftMs);
    if (part === undefined) await wait(Math.min(500, means.patience.leftMs));
    else await fill(part, blob, means);
  }
}

/** Creates a partial file or takes over an abandoned one; returns its path. Undefined if another process writes one. */
function claimPart(path: string, leftMs: number): string | undefined {
  const folder = dirname(path);
  const own = `${path}.${randomUUID()}.part`;
  const left = readdirSync(folder).find((name) => name.startsWith(`${basename(path)}.`) && name.endsWith(".part"));
  try {
    if (left === undefined) closeSync(openSync(own, "wx"));
    else if (Date.now() - statSync(join(folder, left)).mtimeMs < leftMs) return undefined;
    else {
      // If two processes rename the partial file at once, one succeeds, and the other finds no file.
      renameSync(join(folder, left), own);
      utimesSync(own, new Date(), new Date());
    }
    return own;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * Completes and renames a partial file, unless another process takes it over. Throws on a permanent error or after
 * `maxFailures` consecutive failures.
 */
async function fill(part: string, blob: Blob, means: Means): Promise<void> {
  for (let failures = 0; existsSync(part);) {
    const { size } = statSync(part);
    try {
      await complete(part, blob, means);
      renameSync(part, blob.path);
      return;
    } catch (error) {
      if (isMissing(error)) return;
      if (!(error instanceof Unreached)) throw error;
      failures = (statSync(part, { throwIfNoEntry: false })?.size ?? 0) > size ? 1 : failures + 1;
      if (failures >= maxFailures) throw error;
      await wait(means.patience.pauseMs * 2 ** (failures - 1));
    }
  }
}

async function complete(part: string, blob: Blob, means: Means): Promise<void> {
  const file = await open(part, "r+");
  try {
    const { size } = await file.stat();
    const found = await append(file, { blob, from: size <= blob.bytes ? size : 0 }, means);
    // Bytes from an earlier attempt may be wrong, so a wrong checksum restarts the download once.
    const last = found === blob.checksum.hex || size === 0 ? found : await append(file, { blob, from: 0 }, means);
    if (last === blob.checksum.hex) return await file.sync();
    rmSync(part, { force: true });
    throw new Error(
      `${blob.name} has the ${nameOf(blob.checksum)} ${last}, the hub says ${blob.checksum.hex}: ${blob.url}`,
    );
  } finally {
    await file.close();
  }
}

type Rest = { readonly blob: Blob; readonly from: number };

/** Downloads the bytes from position `from` on. Returns the checksum of the whole file. */
async function append(file: FileHandle, { blob, from }: Rest, { ask, patience }: Means): Promise<string> {
  await file.truncate(from);
  const hash = startHash(blob.checksum, blob.bytes);
  await readInto(hash, file, from);
  if (from === blob.bytes) return hash.digest("hex");
  const response = await ask(blob.url, from === 0 ? {} : { headers: { range: `bytes=${from}-` } });
  const reader = response.body?.getReader();
  if (!reader) throw new Unreached("an answer without content");
  try {
    // The server does not support ranges and sends the whole file, so the download starts at byte 0.
    if (from > 0 && response.status !== 206) return await append(file, { blob, from: 0 }, { ask, patience });
    let at = from;
    for (let chunk = await read(reader, patience.stallMs); chunk; chunk = await read(reader, patience.stallMs)) {
      await writeAll(file, chunk, at);
      hash.update(chunk);
      at += chunk.length;
    }
    if (at < blob.bytes) throw new Unreached(`it broke off after ${at} of ${blob.bytes} bytes`);
    return hash.digest("hex");
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Writes all bytes. One write can be incomplete without an error, as on a nearly full disk; the next then throws. */
async function writeAll(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
  }
}

/** Reads the next chunk of a response; undefined at its end. Throws if no data arrive within `stallMs`. */
async function read(reader: ReadableStreamDefaultReader<Uint8Array>, stallMs: number): Promise<Uint8Array | undefined> {
  const stop = new AbortController();
  const stall = wait(stallMs, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`nothing came for ${stallMs / 1000} s`);
  });
  stall.catch(() => {});
  try {
    const { done, value } = await Promise.race([reader.read(), stall]);
    return done ? undefined : value;
  } catch (error) {
    throw new Unreached(reasonOf(error), { cause: error });
  } finally {
    stop.abort();
  }
}

/** Starts the hash with which the hub identifies a file: SHA-256 for large files, the Git object id for small ones. */
export function startHash({ kind }: Checksum, bytes: number): Hash {
  return kind === "sha256" ? createHash("sha256") : createHash("sha1").update(`blob ${bytes}\0`);
}

function nameOf({ kind }: Checksum): string {
  return kind === "sha256" ? "SHA-256" : "Git checksum";
}

async function readInto(hash: Hash, file: FileHandle, numBytes: number): Promise<void> {
  const buffer = new Uint8Array(2 ** 20);
  for (let at = 0; at < numBytes;) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, numBytes - at), at);
    if (bytesRead === 0) throw new Unreached(`a part ends after ${at} bytes`);
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
