import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { keepPlaces } from "#server/start/bundleCli.ts";
import { esbuildOptions } from "#server/start/esbuildOptions.ts";
import { root } from "#server/start/root.ts";

/** Bundles the orchestrator, because tests start it often and loading TypeScript takes long. Returns the path. */
export async function bundleOrchestrator(): Promise<string> {
  const { outputFiles } = await build({
    ...esbuildOptions,
    entryPoints: ["server/engine/orchestrator/main.ts"],
    packages: "external",
    plugins: [keepPlaces],
    write: false,
  });
  // The bundle lies in node_modules, where Node.js finds its packages.
  const path = join(root, "node_modules/.cache/arlarena-orchestrator/main.mjs");
  await mkdir(dirname(path), { recursive: true });
  // The file is renamed into place, because other test files write it too.
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, outputFiles[0]?.contents ?? "");
  await rename(draft, path);
  return path;
}
