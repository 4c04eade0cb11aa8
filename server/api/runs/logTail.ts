import { open } from "node:fs/promises";
import { findInside } from "./findInside.ts";

/** Files of an attempt that a page may show. Names, not paths: a browser never sends a path. */
export const logFiles = { stdout: "stdout.log", stderr: "stderr.log", events: "events.jsonl" } as const;
export type LogFile = keyof typeof logFiles;

export type LogTail = {
  text: string;
  /** Size of the file, and offset of the text in it. */
  sizeBytes: number;
  skippedBytes: number;
};

/** The last `maxBytes` of a file, from the first whole line; null if the attempt has no such file (yet). */
export async function readTail(folder: string, file: LogFile, maxBytes: number): Promise<LogTail | null> {
  const path = await findInside(folder, logFiles[file]);
  if (path === null) return null;
  const handle = await open(path, "r");
  try {
    const { size } = await handle.stat();
    const from = Math.max(0, size - maxBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
    const bytes = buffer.subarray(0, bytesRead);
    const start = from === 0 ? 0 : bytes.indexOf("\n") + 1;
    return { text: bytes.subarray(start).toString("utf8"), sizeBytes: size, skippedBytes: from + start };
  } finally {
    await handle.close();
  }
}
