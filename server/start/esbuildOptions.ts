import type { BuildOptions } from "esbuild";
import { root } from "./root.ts";

export const esbuildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  legalComments: "none",
  logLevel: "silent",
  // CommonJS packages need `require`. The name is unique, because our own modules may import `createRequire` too.
  banner: {
    js: 'import { createRequire as makeRequireOfBundle } from "node:module"; const require = makeRequireOfBundle(import.meta.url);',
  },
} as const satisfies BuildOptions;

/** Packages that are not bundled: native code, and a Python interpreter that reads files in its own folder. */
export const external = ["onnxruntime-node", "pyodide"];
