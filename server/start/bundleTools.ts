import { writeWhole } from "#server/config/writeWhole.ts";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { esbuildOptions } from "./esbuildOptions.ts";
import { isPacked, packedFolder, root } from "./root.ts";

const entries = {
  agent: "server/engine/launchers/ssh/agent.ts",
  adapter: "server/engine/adapter/main.ts",
  courier: "server/engine/launchers/ray/courier.ts",
};

/** Bundles ssh agent, Ray courier and adapter into a folder named after their content. Returns the agent's path. */
export async function bundleTools(home: string): Promise<string> {
  const tools = await Promise.all(
    Object.entries(entries).map(async ([name, entry]) => {
      const packed = join(root, packedFolder, "tools", `${name}.mjs`);
      return { name: `${name}.mjs`, text: isPacked ? await readFile(packed, "utf8") : await bundle(entry) };
    }),
  );
  const hash = createHash("sha256")
    .update(tools.map(({ text }) => text).join("\0"))
    .digest("hex")
    .slice(0, 16);
  const folder = join(home, "tools", hash);
  const missing = tools.filter(({ name }) => !existsSync(join(folder, name)));
  await Promise.all(missing.map(({ name, text }) => writeBundle(join(folder, name), text)));
  return join(folder, "agent.mjs");
}

/** Bundles the tools into the folder of the package that `npm pack` makes. */
export async function packTools(folder: string): Promise<void> {
  for (const [name, entry] of Object.entries(entries))
    await writeBundle(join(folder, "tools", `${name}.mjs`), await bundle(entry));
}

async function bundle(entry: string): Promise<string> {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({ ...esbuildOptions, entryPoints: [entry], minify: true, write: false });
  return outputFiles[0]?.text ?? "";
}

/** Writes a file atomically, because a concurrent process may write the same file. */
export async function writeBundle(path: string, content: Uint8Array | string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeWhole(path, content);
}
