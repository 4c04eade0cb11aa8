import { esbuildOptions, external } from "./esbuildOptions.ts";

const entries = {
  analyses: "server/api/analysis/processes/analyses.ts",
  episodes: "server/playground/processes/episodes.ts",
  policies: "server/playground/processes/policies.ts",
  models: "server/playground/processes/models.ts",
  modelFacts: "server/models/processes/modelFacts.ts",
  imports: "server/tracking/processes/imports.ts",
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
