import { access } from "node:fs/promises";

/** True where a file or folder is visible at a path. */
export async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
