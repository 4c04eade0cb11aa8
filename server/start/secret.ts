import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Secret of a state folder, which signs sessions: created at the first start, readable by its owner only. */
export async function readSecret(home: string): Promise<string> {
  const path = join(home, "secret");
  const known = await readFile(path, "utf8").catch(() => "");
  if (known.length >= 32) return known;
  const secret = randomBytes(32).toString("base64url");
  await writeFile(path, secret, { mode: 0o600 });
  return secret;
}
