import { access } from "node:fs/promises";

/** Whether a file or folder can be seen at a path. */
export async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
