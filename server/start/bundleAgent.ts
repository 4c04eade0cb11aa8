import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./root.ts";

/** What looks after jobs on other machines, as one file in a folder named after its content. Returns its path. */
export async function bundleAgent(home: string): Promise<string> {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["server/launchers/ssh/agent.ts"],
    bundle: true,
    minify: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node20",
    legalComments: "none",
    logLevel: "silent",
  });
  const text = outputFiles[0]?.text ?? "";
  const folder = join(home, "agent", createHash("sha256").update(text).digest("hex").slice(0, 16));
  const path = join(folder, "agent.mjs");
  if (existsSync(path)) return path;
  await mkdir(folder, { recursive: true });
  await writeFile(`${path}.${process.pid}`, text);
  await rename(`${path}.${process.pid}`, path);
  return path;
}
