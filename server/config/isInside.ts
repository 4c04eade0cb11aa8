import { isAbsolute, relative } from "node:path";

/** Whether a path is a folder or lies in it, by the texts of both. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !/^\.\.[\\/]/.test(way) && !isAbsolute(way);
}
