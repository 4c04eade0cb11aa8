import { isAbsolute, relative } from "node:path";

/** True if a path is a folder or lies inside it. Only texts are compared; links are not followed. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !/^\.\.[\\/]/.test(way) && !isAbsolute(way);
}
