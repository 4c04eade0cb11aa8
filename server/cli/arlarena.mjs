#!/usr/bin/env node
// Uses only Node's own modules and no TypeScript, because the packages may not be installed yet.
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`arlarena needs Node 20.19 or newer; this is ${process.versions.node} (https://nodejs.org)`);
  process.exit(1);
}
process.env.NODE_ENV ??= "production";
const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "node_modules", ".cache", "arlarena");
// An installed package contains the compiled command line in place of the source.
const packed = join(root, "dist", "programs", "cli.mjs");
const isPacked = !existsSync(join(root, "server", "cli", "main.ts"));
if (isPacked) process.env.ARLARENA_START_COMMAND ??= "arlarena-studio";
await import(pathToFileURL(isPacked ? packed : (findBundle() ?? (await compile()))).href);

/** Finds the compiled command line if the times and sizes of all its source files are unchanged. */
function findBundle() {
  try {
    const { root: madeAt, entry, inputs } = JSON.parse(readFileSync(join(folder, "cli.json"), "utf8"));
    const isSame = inputs.every(([path, mtimeMs, size]) => {
      const now = statSync(join(root, path));
      return now.mtimeMs === mtimeMs && now.size === size;
    });
    return madeAt === root && isSame && existsSync(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** Compiles once per version. If the result cannot be stored, the command line runs from source. */
async function compile() {
  const tsx = await import("tsx/esm/api").catch(() => {
    console.error("arlarena: the packages are not installed: run `npm start` (or `npm ci`) in the checkout first");
    process.exit(1);
  });
  tsx.register();
  const { bundleCli } = await import("#server/start/bundleCli.ts");
  return await bundleCli(folder).catch(() => join(root, "server", "cli", "main.ts"));
}
