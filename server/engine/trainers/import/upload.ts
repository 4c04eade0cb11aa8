import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "#packages/base";
import { listParts, type FormPart } from "./formParts.ts";
import { type GivenFile, readGiven } from "./givenFile.ts";

/** A received form: its text fields, its files with their locations on disk, and a function that deletes them. */
export type Upload = { texts: ReadonlyMap<string, string>; files: readonly GivenFile[]; remove(): Promise<void> };

type Body = {
  chunks: AsyncIterable<Uint8Array>;
  contentType: string;
  maxBytes: number;
  tooLarge: (numBytes: number) => AppError;
};

/** Maximum length of a form's text field in bytes. A field may contain the changes to a thousand runs. */
const maxTextBytes = 256 * 1024;
const staleMs = 24 * 3600 * 1000;

/**
 * Writes an uploaded form to a file, not into memory, and finds its fields. A failed call leaves no file behind.
 * @throws the error of `tooLarge` beyond the limit, and `bad_input` for an incomplete form.
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
      // A larger body is read up to four times the limit: a client whose upload is cut off would miss the response.
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
  return await readGiven({ name, path, start, end });
}

/** Deletes uploaded files older than a day, which a killed server left behind. */
async function forgetStale(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > staleMs) await rm(path, { recursive: true, force: true });
  }
}
