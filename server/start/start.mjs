#!/usr/bin/env node
// Main program of `npm start`, and of `arlarena-studio` in an installed package, which has built programs instead of
// TypeScript. It is plain JavaScript with Node's own modules only, because node_modules may not exist yet.
// package.json uses `exec`, which replaces the shell by this process: npm sends SIGTERM only to the shell.
import { existsSync } from "node:fs";
import { installPackages, refuseOldNode } from "./install.mjs";

refuseOldNode();
process.env.NODE_ENV = "production";
const isPacked = !existsSync(new URL("./main.ts", import.meta.url));
if (isPacked) {
  process.env.ARLARENA_START_COMMAND ??= "arlarena-studio";
  await import("../../dist/programs/studio.mjs");
} else {
  const wantsHelp = process.argv.some((argument) => argument === "--help" || argument === "-h");
  await installPackages({ isQuiet: wantsHelp });
  const tsx = await import("tsx/esm/api");
  tsx.register();
  await import("./main.ts");
}
