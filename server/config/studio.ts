import { existsSync, readFileSync } from "node:fs";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/** What a running studio tells those who share its state folder: the command line finds the database by it. */
export type Studio = z.infer<typeof Studio>;
const Studio = z.object({ pid: z.number(), address: z.string(), databaseUrl: z.string() });

/** The studio that runs on this state folder, or undefined when none does. */
export async function readStudio(home: string): Promise<Studio | undefined> {
  const text = await readStudioFile(home);
  if (text === undefined) return undefined;
  const studio = Studio.parse(JSON.parse(text));
  return isStudio(studio.pid) ? studio : undefined;
}

/** Read at once, since a studio that ends may take the file away between a look and a read. */
async function readStudioFile(home: string): Promise<string | undefined> {
  try {
    return await readFile(studioPath(home), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** For our eyes only: the database's password is in it. */
export async function writeStudio(home: string, studio: Studio): Promise<void> {
  const partial = `${studioPath(home)}.new`;
  await writeFile(partial, JSON.stringify(studio), { mode: 0o600 });
  await rename(partial, studioPath(home));
}

export async function removeStudio(home: string): Promise<void> {
  await rm(studioPath(home), { force: true });
}

function studioPath(home: string): string {
  return join(home, "studio.json");
}

// After a restart of the machine the process id may be somebody else's; where /proc exists, the command tells.
function isStudio(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
  const command = `/proc/${pid}/cmdline`;
  return !existsSync(command) || readFileSync(command, "utf8").includes("server/start/start.mjs");
}
