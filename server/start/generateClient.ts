import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { contentHash } from "./contentHash.ts";
import { isPacked, root } from "./root.ts";
import { runTool } from "./runTool.ts";

const folder = "server/db/generated";

export async function generateClient(signal: AbortSignal): Promise<void> {
  if (isPacked) return;
  const paths = ["prisma/schema.prisma", "node_modules/prisma/package.json"];
  const hash = await contentHash({ root, paths });
  const stamp = join(root, folder, ".schema-hash");
  if (existsSync(stamp) && (await readFile(stamp, "utf8")) === hash) return;
  await runTool({
    signal,
    what: "generating the database client",
    script: "node_modules/prisma/build/index.js",
    args: ["generate", "--schema", "prisma/schema.prisma"],
    // Naming an engine prevents Prisma from downloading a native one that it would not use.
    env: { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: "1", CHECKPOINT_DISABLE: "1" },
  });
  await writeFile(stamp, hash);
}
