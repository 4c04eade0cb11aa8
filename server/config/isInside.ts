import { isAbsolute, relative } from "node:path";

/** True where a path is a folder or lies in it. Compares texts alone and follows no link. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !/^\.\.[\\/]/.test(way) && !isAbsolute(way);
}
