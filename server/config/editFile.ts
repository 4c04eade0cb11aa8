import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";

/** Permissions of a file that only its owner can read. */
const ownersOnly = 0o600;

/**
 * Changes the text of a file of settings; `edit` throws if the text would be invalid. Without a pause between reading
 * and writing, two requests cannot lose each other's change. `isSecret`: only the owner can read the file afterwards.
 */
export function editFile(named: string, edit: (text: string) => string, { isSecret = false } = {}): void {
  const isThere = existsSync(named);
  // A link keeps pointing at its file.
  const path = isThere ? realpathSync(named) : named;
  const text = edit(isThere ? readFileSync(path, "utf8") : "");
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, text, { mode: isThere && !isSecret ? statSync(path).mode & 0o777 : ownersOnly });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
