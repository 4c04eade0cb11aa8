import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "#server/domain/errors.ts";
import { listParts, read, type FormPart } from "./formParts.ts";
import type { GivenFile } from "./givenFile.ts";

/** A form that was received: its texts, and its files, each where it lies on the disk. */
export type Upload = { texts: ReadonlyMap<string, string>; files: readonly GivenFile[]; remove(): Promise<void> };

type Body = {
  chunks: AsyncIterable<Uint8Array>;
  contentType: string;
  maxBytes: number;
  /** The error for a body of so many bytes. */
  tooLarge: (numBytes: number) => AppError;
};

/** No field but a file is longer. */
const maxTextBytes = 4096;
const staleMs = 24 * 3600 * 1000;

/**
 * Writes a form to the state folder as it arrives and finds its fields there, so that a large one never lies in memory.
 * Throws what `tooLarge` makes beyond the limit, `bad_input` for what is no whole form; nothing is left behind then.
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
      // What is beyond is read and dropped: a connection closed while somebody writes would swallow our answer.
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

/** A server that was killed while it received leaves a file. */
async function forgetStale(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > staleMs) await rm(path, { recursive: true, force: true });
  }
}
