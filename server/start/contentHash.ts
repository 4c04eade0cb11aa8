import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";

export type Sources = {
  root: string;
  /** Files and folders under `root` that are hashed; a path that does not exist counts as empty. */
  paths: readonly string[];
  isSource?: (path: string) => boolean;
};

/** Returns a hash of the names and contents of files, independent of the folder's location: 16 hexadecimal digits. */
export async function contentHash({ root, paths, isSource = () => true }: Sources): Promise<string> {
  const files = (await Promise.all(paths.map((path) => listFiles(join(root, path))))).flat();
  const names = files.map((file) => relative(root, file)).filter((name) => isSource(name));
  const contents = await Promise.all(
    names.toSorted().map(async (name) => ({ name, text: await readFile(join(root, name)) })),
  );
  const hash = createHash("sha256");
  for (const { name, text } of contents) hash.update(`${name}\0${text.length}\0`).update(text);
  return hash.digest("hex").slice(0, 16);
}

async function listFiles(path: string): Promise<string[]> {
  const kind = await stat(path).catch(() => undefined);
  if (kind === undefined) return [];
  if (kind.isFile()) return [path];
  const entries = await readdir(path, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
