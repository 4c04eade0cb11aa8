// `npm start`. Plain JavaScript with Node's own modules: this runs before node_modules exists. package.json uses
// `exec`, because npm forwards SIGTERM only to the shell: with `exec` that shell is this process.
import { installPackages, refuseOldNode } from "./install.mjs";

refuseOldNode();
const wantsHelp = process.argv.some((argument) => argument === "--help" || argument === "-h");
await installPackages({ isQuiet: wantsHelp });
process.env.NODE_ENV = "production";
const tsx = await import("tsx/esm/api");
tsx.register();
await import("./main.ts");
