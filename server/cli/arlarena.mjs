#!/usr/bin/env node
// `npx arlarena …` inside a checkout. Plain JavaScript with Node's own modules until the packages are known to be
// installed.
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
await import(pathToFileURL(findBundle() ?? (await compile())).href);

/** Compiled command line, if all its source files are unchanged by time and size. */
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

/** Compiles once per version of the source; runs from source if the result cannot be stored. */
async function compile() {
  const tsx = await import("tsx/esm/api").catch(() => {
    console.error("arlarena: the packages are not installed: run `npm start` (or `npm ci`) in the checkout first");
    process.exit(1);
  });
  tsx.register();
  const { bundleCli } = await import("#server/start/bundleCli.ts");
  return await bundleCli(folder).catch(() => join(root, "server", "cli", "main.ts"));
}
