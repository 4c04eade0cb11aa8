import { esbuildOptions, external } from "./esbuildOptions.ts";

const entries = {
  analyses: "server/api/analyst/processes/analyses.ts",
  episodes: "server/engine/playground/processes/episodes.ts",
  policies: "server/engine/playground/processes/policies.ts",
  models: "server/engine/playground/processes/models.ts",
  modelFacts: "server/engine/models/processes/modelFacts.ts",
  imports: "server/engine/trainers/processes/imports.ts",
};

/** The processes in which the web app plays, reads and analyses, one file each, beside its build. Native code and packages that read their files stay outside. */
export async function bundlePlayers(folder: string): Promise<void> {
  const { build } = await import("esbuild");
  await build({
    ...esbuildOptions,
    entryPoints: entries,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    external,
  });
}
