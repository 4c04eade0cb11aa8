import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { esbuildOptions } from "./esbuildOptions.ts";

const entries = {
  agent: "server/engine/launchers/ssh/agent.ts",
  adapter: "server/engine/adapter/main.ts",
  courier: "server/engine/launchers/ray/courier.ts",
};

/**
 * Bundles programs for other machines: the ssh agent (`agent.mjs`), the courier of Ray jobs (`courier.mjs`) and the
 * adapter for external trainers (`adapter.mjs`). Each program is one file; their folder is named after their content.
 * Returns the agent's path.
 */
export async function bundleTools(home: string): Promise<string> {
  const tools = await Promise.all(
    Object.entries(entries).map(async ([name, entry]) => ({ name: `${name}.mjs`, text: await bundle(entry) })),
  );
  const hash = createHash("sha256")
    .update(tools.map(({ text }) => text).join("\0"))
    .digest("hex")
    .slice(0, 16);
  const folder = join(home, "tools", hash);
  await mkdir(folder, { recursive: true });
  await Promise.all(tools.map(async ({ name, text }) => await writeOnce(join(folder, name), text)));
  return join(folder, "agent.mjs");
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
