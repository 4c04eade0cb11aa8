import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

/** Removes the least recently used files of a folder until the rest fits. Subfolders stay. */
export function forgetOldest(folder: string, maxBytes: number): void {
  const files = readdirSync(folder).flatMap((name) => {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    return stats?.isFile() ? [{ name, bytes: stats.size, usedMs: stats.mtimeMs }] : [];
  });
  let total = 0;
  for (const { name, bytes } of files.sort((a, b) => b.usedMs - a.usedMs)) {
    total += bytes;
    if (total > maxBytes) rmSync(join(folder, name), { force: true });
  }
}
