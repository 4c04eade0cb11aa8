import { isAbsolute, relative } from "node:path";

/** True where a path is a folder or lies inside it. Compares texts only, without following links. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !/^\.\.[\\/]/.test(way) && !isAbsolute(way);
}
