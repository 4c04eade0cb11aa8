import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** True in an installed package (`npm pack`), which has built programs in place of the source. */
export const isPacked = !existsSync(join(root, "server/start/main.ts"));

/** Programs of the package, relative to `root`; `npm pack` builds them (`packStudio.ts`). */
export const packedFolder = "dist";

/** Folder of the trainer's packages: native code, and packages that read their own files. */
export const enginesFolder = join(root, isPacked ? packedFolder : "", "node_modules");
