/** Texts of a working tree's files by absolute path, in the order of directory listings. */
export type Files = Readonly<Record<string, string>>;

/** A working tree and, for undoing edits, the earlier texts of each file, oldest first. */
export type Workspace = {
  readonly files: Files;
  readonly history: Readonly<Record<string, readonly string[]>>;
};

export const root = "/testbed";

/** Removes double slashes, trailing slashes and `.` parts from a path, as Python's `Path` does. */
export function normalisePath(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return `${path.startsWith("/") ? "/" : ""}${parts.join("/")}`;
}

/** Returns the path relative to the repository's root, as the policy's commands write it. */
export function relativePath(path: string): string {
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

export function absolutePath(path: string): string {
  return normalisePath(path.startsWith("/") ? path : `${root}/${path}`);
}

export function hasFile(files: Files, path: string): boolean {
  return Object.hasOwn(files, path);
}

export function isDirectory(files: Files, path: string): boolean {
  return path === root || root.startsWith(`${path}/`) || Object.keys(files).some((file) => file.startsWith(`${path}/`));
}

/** Returns the output lines of `find DIRECTORY -maxdepth 2`, without hidden entries. */
export function listTree(files: Files, directory: string): readonly string[] {
  return [directory, ...listBelow(files, directory, 2)];
}

function listBelow(files: Files, directory: string, depth: number): readonly string[] {
  if (depth === 0) return [];
  const prefix = `${directory}/`;
  const names = Object.keys(files)
    .filter((file) => file.startsWith(prefix))
    .map((file) => file.slice(prefix.length).split("/")[0] ?? "");
  return [...new Set(names)]
    .filter((name) => !name.startsWith("."))
    .flatMap((name) => [prefix + name, ...listBelow(files, prefix + name, depth - 1)]);
}
