import { existsSync } from "node:fs";
import { rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { contentHash } from "./contentHash.ts";
import { esbuildOptions, external } from "./esbuildOptions.ts";
import { root } from "./root.ts";

const entries = { trainer: "trainer/run/main.ts", programs: "trainer/programs/main.ts" };

/** Bundles the trainer into a folder named after its content: jobs keep their version. Returns its path, if any. */
export async function bundleTrainer(home: string): Promise<string | undefined> {
  if (!existsSync(join(root, entries.trainer))) return undefined;
  const hash = await contentHash({ root, paths: ["trainer", "package-lock.json"], isSource });
  const folder = join(home, "trainer", hash);
  const bundle = join(folder, "trainer.mjs");
  if (existsSync(bundle)) return bundle;
  const partial = `${folder}.${process.pid}`;
  const { build } = await import("esbuild");
  await build({
    ...esbuildOptions,
    entryPoints: entries,
    outdir: partial,
    outExtension: { ".js": ".mjs" },
    external,
  });
  await symlink(join(root, "node_modules"), join(partial, "node_modules"), "junction").catch(() => {});
  await rename(partial, folder).catch(async (error: unknown) => {
    // A concurrent start has already created the bundle's folder.
    await rm(partial, { recursive: true });
    if (!existsSync(bundle)) throw error;
  });
  return bundle;
}

function isSource(path: string): boolean {
  return !/\.test\.ts$|\/testing\//.test(path);
}
