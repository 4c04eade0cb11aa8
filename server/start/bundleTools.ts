import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { esbuildOptions } from "./esbuildOptions.ts";

const entries = { agent: "server/launchers/ssh/agent.ts", adapter: "server/adapter/main.ts" };

/**
 * For other machines: what looks after jobs (`agent.mjs`), and what runs the programs of other trainers (`adapter.mjs`).
 * Each is one file, both in a folder named after their content. Returns the agent's path.
 */
export async function bundleTools(home: string): Promise<string> {
  const [agent, adapter] = await Promise.all([bundle(entries.agent), bundle(entries.adapter)]);
  const hash = createHash("sha256").update(agent).update("\0").update(adapter).digest("hex").slice(0, 16);
  const folder = join(home, "tools", hash);
  const paths = { agent: join(folder, "agent.mjs"), adapter: join(folder, "adapter.mjs") };
  await mkdir(folder, { recursive: true });
  await Promise.all([writeOnce(paths.agent, agent), writeOnce(paths.adapter, adapter)]);
  return paths.agent;
}

async function bundle(entry: string): Promise<string> {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    ...esbuildOptions,
    entryPoints: [entry],
    minify: true,
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

async function writeOnce(path: string, text: string): Promise<void> {
  if (existsSync(path)) return;
  await writeFile(`${path}.${process.pid}`, text);
  await rename(`${path}.${process.pid}`, path);
}
