import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";

/** Writes a file atomically, also for other machines of a shared file system and beside concurrent writers. */
export async function writeWhole(
  path: string,
  content: string | Uint8Array,
  { mode = 0o666 }: { mode?: number } = {},
): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, content, { mode });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
