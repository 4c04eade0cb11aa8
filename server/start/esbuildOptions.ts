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
  // CommonJS packages need `require`, which ES modules do not have. The banner uses a name of its own, since our
  // modules may import that function too.
  banner: {
    js: 'import { createRequire as makeRequireOfBundle } from "node:module"; const require = makeRequireOfBundle(import.meta.url);',
  },
} as const satisfies BuildOptions;

/** Packages left out of the bundle: native code, and an interpreter that reads files beside it. */
export const external = ["onnxruntime-node", "pyodide"];
