import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, readlink, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { contentHash } from "./contentHash.ts";
import { esbuildOptions, external } from "./esbuildOptions.ts";
import { enginesFolder, isPacked, packedFolder, root } from "./root.ts";

const entries = { trainer: "trainer/run/main.ts", programs: "trainer/programs/main.ts" };

/** Bundles the trainer into a folder named after its content: jobs keep their version. Returns its path, if any. */
export async function bundleTrainer(home: string): Promise<string | undefined> {
  const hash = isPacked ? await readPacked() : await hashTrainer();
  if (hash === undefined) return undefined;
  const folder = join(home, "trainer", hash);
  const bundle = join(folder, "trainer.mjs");
  if (!existsSync(bundle)) await install(folder, hash);
  await linkEngines(join(folder, "node_modules"));
  return bundle;
}

async function install(folder: string, hash: string): Promise<void> {
  const partial = `${folder}.${process.pid}`;
  if (isPacked) await copyPacked(hash, partial);
  else await bundle(partial);
  await rename(partial, folder).catch(async (error: unknown) => {
    // A concurrent start has already created the bundle's folder.
    await rm(partial, { recursive: true });
    if (!existsSync(join(folder, "trainer.mjs"))) throw error;
  });
}

/** Bundles the trainer into the folder of the package that `npm pack` makes. */
export async function packTrainer(folder: string): Promise<void> {
  const hash = await hashTrainer();
  if (hash !== undefined) await bundle(join(folder, "trainer", hash));
}

// The files are copied one by one: a copied folder would be as read-only as the package.
async function copyPacked(hash: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of Object.keys(entries).map((entry) => `${entry}.mjs`))
    await copyFile(join(root, packedFolder, "trainer", hash, name), join(folder, name));
}

async function bundle(outdir: string): Promise<void> {
  const { build } = await import("esbuild");
  await build({ ...esbuildOptions, entryPoints: entries, outdir, outExtension: { ".js": ".mjs" }, external });
}

async function readPacked(): Promise<string | undefined> {
  const [hash] = await readdir(join(root, packedFolder, "trainer"));
  return hash;
}

async function hashTrainer(): Promise<string | undefined> {
  if (!existsSync(join(root, entries.trainer))) return undefined;
  return await contentHash({ root, paths: ["trainer", "package-lock.json"], isSource });
}

/** Links the trainer's packages. An equal trainer of another installation, now removed, may have left its link. */
async function linkEngines(path: string): Promise<void> {
  if ((await readlink(path).catch(() => undefined)) === enginesFolder) return;
  const partial = `${path}.${process.pid}`;
  await symlink(enginesFolder, partial, "junction");
  await rename(partial, path);
}

function isSource(path: string): boolean {
  return !/\.test\.ts$|\/testing\//.test(path);
}
