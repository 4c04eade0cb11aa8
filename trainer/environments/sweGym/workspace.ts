/** Files by absolute path, in the order in which directories list them. */
export type Files = Readonly<Record<string, string>>;

/** A working tree and what undoing needs: the texts a file had before each edit, oldest first. */
export type Workspace = {
  readonly files: Files;
  readonly history: Readonly<Record<string, readonly string[]>>;
};

export const root = "/testbed";

/** Without doubled, trailing or `.` parts, as Python's Path prints it. */
export function normalisePath(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return `${path.startsWith("/") ? "/" : ""}${parts.join("/")}`;
}

/** As a short command names it: relative to the root. */
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

/** What `find DIRECTORY -maxdepth 2` prints, hidden entries left out. */
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
