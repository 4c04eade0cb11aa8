import { isAbsolute, relative } from "node:path";

/** True if a path is the folder or lies in it. Only texts are compared; symbolic links are not followed. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !/^\.\.[\\/]/.test(way) && !isAbsolute(way);
}
