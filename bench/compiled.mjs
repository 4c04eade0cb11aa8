/**
 * Compiles a benchmark to one file, as the product is, and runs it: `node bench/compiled.mjs NAME [ARGUMENTS …]`.
 * `tsx` would name every function at each creation, which takes a third of the time of a cheap step.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const [name = "environments", ...rest] = process.argv.slice(2);
// The compiled file is where linters do not look, and below node_modules so that packages resolve.
const outfile = join(import.meta.dirname, "../node_modules/.cache/bench", `${name}.${process.pid}.mjs`);
// The compiled bundle has a single folder, but each source file loads files relative to its own folder.
const sourceFolders = {
  name: "source folders",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/, namespace: "file" }, ({ path }) => {
      const contents = readFileSync(path, "utf8")
        .replaceAll("import.meta.dirname", JSON.stringify(dirname(path)))
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href));
      return { contents, loader: "ts" };
    }),
};
try {
  await build({
    entryPoints: [join(import.meta.dirname, `${name}.ts`)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    plugins: [sourceFolders],
    logLevel: "warning",
  });
  process.exitCode = spawnSync(process.execPath, [outfile, ...rest], { stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(outfile, { force: true });
}
