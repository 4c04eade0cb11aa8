import { fileURLToPath } from "node:url";

/** Path of the repository's root folder. */
export const root = fileURLToPath(new URL("../..", import.meta.url));
