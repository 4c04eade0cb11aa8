import type { BuildOptions } from "esbuild";
import { root } from "./root.ts";

/** One file for Node.js from TypeScript, with every package in it. */
export const esbuildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  legalComments: "none",
  logLevel: "silent",
  // Packages in the old module format ask for `require`, which an ES module does not have.
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
} as const satisfies BuildOptions;

/** Not in the file: native code, and an interpreter that reads the files beside it. */
export const external = ["onnxruntime-node", "pyodide"];
