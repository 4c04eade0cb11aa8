import { existsSync } from "node:fs";
import { mkdir, rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { contentHash } from "./contentHash.ts";
import { root } from "./root.ts";

const entry = "trainer/run/main.ts";

/**
 * The trainer as one file named after its content, so that running jobs keep theirs when the source changes. Returns
 * its path, or undefined while there is no trainer. Only onnxruntime-node stays outside: it is native code.
 */
export async function bundleTrainer(home: string): Promise<string | undefined> {
  if (!existsSync(join(root, entry))) return undefined;
  const hash = await contentHash({ root, paths: ["trainer", "package-lock.json"], isSource });
  const folder = join(home, "trainer", hash);
  const bundle = join(folder, "trainer.mjs");
  if (existsSync(bundle)) return bundle;
  await mkdir(folder, { recursive: true });
  const { build } = await import("esbuild");
  const partial = `${bundle}.${process.pid}`;
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: partial,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["onnxruntime-node"],
    legalComments: "none",
    logLevel: "silent",
    // Packages in the old module format ask for `require`, which an ES module does not have.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
  await symlink(join(root, "node_modules"), join(folder, "node_modules"), "junction").catch(() => {});
  await rename(partial, bundle);
  return bundle;
}

function isSource(path: string): boolean {
  return !/\.test\.ts$|\/testing\//.test(path);
}
