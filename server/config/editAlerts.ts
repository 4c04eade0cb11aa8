import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Changes the text of `alerts.yaml`, which only its owner can read afterwards. Without a pause between reading and
 * writing, two requests cannot lose each other's change. `edit` throws if the text would be invalid.
 */
export function editAlerts(home: string, edit: (text: string) => string): void {
  const named = join(home, "alerts.yaml");
  const isThere = existsSync(named);
  // A link keeps pointing at its file.
  const path = isThere ? realpathSync(named) : named;
  const text = edit(isThere ? readFileSync(path, "utf8") : "");
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
