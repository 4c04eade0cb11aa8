import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const Names = z.record(z.string(), z.string());

/** Metrics chosen by users for unknown names in external files. The state folder keeps them for later files. */
export async function readChosenNames(home: string): Promise<Record<string, string>> {
  const text = await readFile(pathOf(home), "utf8").catch(() => "{}");
  try {
    return Names.parse(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Adds choices; the latest choice for a name wins. */
export async function rememberNames(home: string, chosen: Readonly<Record<string, string>>): Promise<void> {
  if (Object.keys(chosen).length === 0) return;
  const all = { ...(await readChosenNames(home)), ...chosen };
  const written = `${pathOf(home)}.${process.pid}`;
  await writeFile(written, JSON.stringify(all, null, 2), { mode: 0o600 });
  await rename(written, pathOf(home));
}

function pathOf(home: string): string {
  return join(home, "imported-names.json");
}
