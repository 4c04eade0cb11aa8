// Main program of `npm start`. It is plain JavaScript with Node's own modules only, because node_modules may not
// exist yet. package.json uses `exec`, which replaces the shell by this process: npm sends SIGTERM only to the shell.
import { installPackages, refuseOldNode } from "./install.mjs";

refuseOldNode();
const wantsHelp = process.argv.some((argument) => argument === "--help" || argument === "-h");
await installPackages({ isQuiet: wantsHelp });
process.env.NODE_ENV = "production";
const tsx = await import("tsx/esm/api");
tsx.register();
await import("./main.ts");
