/** Bundles bench/gpu.ts with ONNX Runtime of this platform into a folder: `bench/gpu.sh pack`. */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { build } from "esbuild";

const [folder = "node_modules/.cache/gpu"] = process.argv.slice(2);
const packages = join(folder, "node_modules");
const binaries = `onnxruntime-node/bin/napi-v6/${process.platform}/${process.arch}`;
rmSync(folder, { recursive: true, force: true });
await build({
  entryPoints: { gpu: "bench/gpu.ts", trainer: "trainer/run/main.ts", adapter: "server/engine/adapter/main.ts" },
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  minify: true,
  platform: "node",
  format: "esm",
  target: "node20",
  external: ["onnxruntime-node", "pyodide"],
  banner: {
    js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
  },
  logLevel: "warning",
});
const isNeeded = (path) => !/\.(map|d\.ts|md)$/.test(path);
for (const name of ["onnxruntime-common/package.json", "onnxruntime-common/dist/cjs", "onnxruntime-node/package.json"])
  cpSync(join("node_modules", name), join(packages, name), { recursive: true, filter: isNeeded });
cpSync("node_modules/onnxruntime-node/dist", join(packages, "onnxruntime-node/dist"), {
  recursive: true,
  filter: isNeeded,
});
mkdirSync(join(packages, binaries), { recursive: true });
// The library is 46 MB, and 15 MB when compressed. `gpu.sh` unpacks it.
const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 };
for (const name of readdirSync(join("node_modules", binaries))) {
  const bytes = readFileSync(join("node_modules", binaries, name));
  writeFileSync(join(packages, binaries, `${name}.br`), brotliCompressSync(bytes, { params }));
}
cpSync("bench/gpuTorch.py", join(folder, "gpuTorch.py"));
