import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { z } from "zod";
import { read } from "./formParts.ts";

/** A file to import: the bytes of the local file at `path` from `start` up to `end` (exclusive). */
export const GivenFile = z.object({ name: z.string(), path: z.string(), start: z.number(), end: z.number() });
export type GivenFile = z.infer<typeof GivenFile>;

export async function readGiven({ path, start, end }: GivenFile): Promise<Buffer> {
  const file = await open(path);
  try {
    return await read(file, start, end - start);
  } finally {
    await file.close();
  }
}

const chunkBytes = 1 << 20;

/** Returns a file's SHA-256 in hexadecimal, read a megabyte at a time, so that the event loop stays responsive. */
export async function hashGiven({ path, start, end }: GivenFile): Promise<string> {
  const hash = createHash("sha256");
  const file = await open(path);
  try {
    for (let at = start; at < end; at += chunkBytes) hash.update(await read(file, at, Math.min(chunkBytes, end - at)));
  } finally {
    await file.close();
  }
  return hash.digest("hex");
}
