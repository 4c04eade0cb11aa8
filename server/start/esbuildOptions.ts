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
  // Packages in the old module format ask for `require`, which an ES module does not have. The name is the banner's own:
  // a module of ours may import the function, too.
  banner: {
    js: 'import { createRequire as makeRequireOfBundle } from "node:module"; const require = makeRequireOfBundle(import.meta.url);',
  },
} as const satisfies BuildOptions;

/** Not in the file: native code, and an interpreter that reads the files beside it. */
export const external = ["onnxruntime-node", "pyodide"];
