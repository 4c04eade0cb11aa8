import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";

/** The mode of a file that nobody else on the machine reads. */
export const ownersAlone = { mode: 0o600 } as const;

/**
 * Writes a file atomically, also for other machines of a shared file system. The draft has a unique name, since two
 * writers may collide; a draft truncated by a full disk is deleted.
 */
export async function writeWhole(path: string, text: string, { mode = 0o666 }: { mode?: number } = {}): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, text, { mode });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
