import { appendFileSync, existsSync, statSync, truncateSync } from "node:fs";

/** Appends all of the content or, if the disk is full, nothing: a part could be mistaken for the whole. */
export function appendWhole(path: string, content: string | Uint8Array): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  try {
    appendFileSync(path, content);
  } catch (error) {
    if (existsSync(path)) truncateSync(path, size);
    throw error;
  }
}
