import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "#packages/base";
import { listParts, read, type FormPart } from "./formParts.ts";
import type { GivenFile } from "./givenFile.ts";

/** A received form: its text fields, and its files with their location on disk. */
export type Upload = { texts: ReadonlyMap<string, string>; files: readonly GivenFile[]; remove(): Promise<void> };

type Body = {
  chunks: AsyncIterable<Uint8Array>;
  contentType: string;
  maxBytes: number;
  /** Makes the error for a body of this size. */
  tooLarge: (numBytes: number) => AppError;
};

/** Maximum length of a text field. */
const maxTextBytes = 4096;
const staleMs = 24 * 3600 * 1000;

/**
 * Streams a form to the state folder and finds its fields there, so that a large form is never in memory. Throws
 * `tooLarge`'s error beyond the limit, and `bad_input` for an incomplete form; both leave no file behind.
 */
export async function receiveUpload(home: string, body: Body): Promise<Upload> {
  const folder = join(home, "uploads");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await forgetStale(folder);
  const path = join(folder, randomUUID());
  const remove = () => rm(path, { force: true });
  try {
    await write(path, body);
    const parts = await listParts(path, body.contentType);
    const texts = new Map<string, string>();
    for (const part of parts) {
      if (part.fileName === undefined)
        texts.set(part.name, (await readPart(path, part, maxTextBytes)).toString("utf8"));
    }
    const files = parts.flatMap((part) => {
      const name = part.name === "files" ? part.fileName : undefined;
      return name === undefined ? [] : [{ name, path, start: part.start, end: part.end }];
    });
    return { texts, files, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function write(path: string, { chunks, maxBytes, tooLarge }: Body): Promise<void> {
  const file = await open(path, "wx", 0o600);
  let numBytes = 0;
  try {
    for await (const chunk of chunks) {
      numBytes += chunk.length;
      // The excess is read and dropped: if the connection were closed during the upload, the client would miss the
      // answer.
      if (numBytes <= maxBytes) await file.writeFile(chunk);
      else if (numBytes > 4 * maxBytes) break;
    }
  } finally {
    await file.close();
  }
  if (numBytes > maxBytes) throw tooLarge(numBytes);
}

async function readPart(path: string, { name, start, end }: FormPart, maxBytes: number): Promise<Buffer> {
  if (end - start > maxBytes) throw new AppError("bad_input", `${name}: ${end - start} bytes, limit is ${maxBytes}`);
  const file = await open(path);
  try {
    return await read(file, start, end - start);
  } finally {
    await file.close();
  }
}

/** Removes files left behind by a server that was killed during an upload. */
async function forgetStale(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > staleMs) await rm(path, { recursive: true, force: true });
  }
}
