import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { contentHash } from "./contentHash.ts";
import { isPacked, root } from "./root.ts";
import { runTool } from "./runTool.ts";

const folder = "server/db/generated";
const schema = "prisma/schema.prisma";

/** The client without types, bundled and committed (`prisma/client.test.ts`), because Prisma's command takes 256 MB. */
const bundled = "prisma/client.mjs";

export const hashSchema = (): Promise<string> => contentHash({ root, paths: [schema] });

export async function generateClient(signal: AbortSignal): Promise<void> {
  if (isPacked) return;
  // Without Prisma's command the hash is another one, so that types are generated once it is installed.
  const hash = await contentHash({ root, paths: [schema, "node_modules/prisma/package.json"] });
  const stamp = join(root, folder, ".schema-hash");
  if (existsSync(stamp) && (await readFile(stamp, "utf8")) === hash) return;
  const client = await readFile(join(root, bundled), "utf8");
  const isCurrent = client.startsWith(`// ${await hashSchema()}\n`);
  if (isCurrent && !existsSync(join(root, "node_modules/prisma"))) {
    await mkdir(join(root, folder), { recursive: true });
    await writeFile(join(root, folder, "client.ts"), client);
  } else await generate(signal);
  await writeFile(stamp, hash);
}

function generate(signal: AbortSignal): Promise<void> {
  return runTool({
    signal,
    what: "generating the database client",
    script: "node_modules/prisma/build/index.js",
    args: ["generate", "--schema", schema],
    // Naming an engine prevents Prisma from downloading a native one that it would not use.
    env: { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: "1", CHECKPOINT_DISABLE: "1" },
  });
}
