import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bundlePlayers, hashSource } from "../buildApp.ts";
import { root } from "../root.ts";

/** Folder of the web app's separate processes, which tests start. Packages are resolved from there. */
export const players = join(root, "node_modules/.cache/arlarena-players");

/**
 * Bundles the separate processes once for all tests, unless these sources were bundled: from its bundle, a process
 * starts in a tenth of the processor time that it needs from TypeScript.
 */
export default async function setup(): Promise<void> {
  const stamp = join(players, "sources");
  const hash = await hashSource(root);
  if ((await readFile(stamp, "utf8").catch(() => "")) === hash) return;
  const draft = `${players}.${process.pid}`;
  await bundlePlayers(draft);
  await writeFile(join(draft, "sources"), hash);
  await rm(players, { recursive: true, force: true });
  await mkdir(join(players, ".."), { recursive: true });
  await rename(draft, players);
}
