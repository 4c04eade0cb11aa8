import type { BuildOptions } from "esbuild";
import { root } from "./root.ts";

/** Bundles TypeScript with all packages into one file for Node.js. */
export const esbuildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  legalComments: "none",
  logLevel: "silent",
  // CommonJS packages require `require`, which ES modules lack. The banner uses its own name, since a module of ours
  // may import the function too.
  banner: {
    js: 'import { createRequire as makeRequireOfBundle } from "node:module"; const require = makeRequireOfBundle(import.meta.url);',
  },
} as const satisfies BuildOptions;

/** Outside the bundle: native code, and an interpreter that reads the files beside it. */
export const external = ["onnxruntime-node", "pyodide"];
