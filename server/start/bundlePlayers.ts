import { join } from "node:path";
import { esbuildOptions } from "./esbuildOptions.ts";

const sources = "server/playground/processes";

/** The processes in which the web app plays, one file each, beside a build of it. Only native code stays outside. */
export async function bundlePlayers(folder: string): Promise<void> {
  const { build } = await import("esbuild");
  await build({
    ...esbuildOptions,
    entryPoints: ["episodes", "policies"].map((name) => join(sources, `${name}.ts`)),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    external: ["onnxruntime-node"],
  });
}
