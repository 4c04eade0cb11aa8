import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { bundlePlayers, forgetOldBuilds, hashSource } from "../buildApp.ts";
import { root } from "../root.ts";

/** Start of the names of folders with the web app's separate processes. Packages are resolved from there. */
const players = join(root, "node_modules/.cache/arlarena-players");

/**
 * Bundles the separate processes once for all tests, unless these sources were bundled: from its bundle, a process
 * starts in a tenth of the processor time that it needs from TypeScript.
 */
export default async function setup(): Promise<void> {
  const folder = `${players}-${await hashSource(root)}`;
  await bundleOnce(folder, bundlePlayers);
  await forgetOldBuilds(players);
  // Processes of tests start after this and inherit the variable.
  process.env["ARLARENA_PLAYERS"] = folder;
}

/** Bundles into a draft that becomes the folder, unless the folder is there or another process is first. */
export async function bundleOnce(folder: string, bundle: (draft: string) => Promise<void>): Promise<void> {
  if (existsSync(folder)) return;
  await mkdir(dirname(folder), { recursive: true });
  const draft = await mkdtemp(`${folder}.`);
  await bundle(draft);
  await rename(draft, folder).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  });
}
