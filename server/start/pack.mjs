// Builds the programs of the installable package; npm calls it before `npm pack` (`prepack`).
import { installPackages, refuseOldNode } from "./install.mjs";

refuseOldNode();
await installPackages();
const { register } = await import("tsx/esm/api");
register();
const { packStudio } = await import("./packStudio.ts");
await packStudio(new AbortController().signal);
