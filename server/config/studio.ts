import { existsSync, readFileSync } from "node:fs";
import { readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { hasCode, ignoreMissing } from "./fileErrors.ts";

/** Process id, URL and database of a running studio, which it writes to its state folder for the command line. */
export type Studio = z.infer<typeof Studio>;
const Studio = z.object({ pid: z.number(), address: z.string(), databaseUrl: z.string() });
/** The file also contains the folder's path, because a copy of a running studio's folder is no running studio. */
const StudioFile = Studio.extend({ home: z.string().optional() });

export async function readStudio(home: string): Promise<Studio | undefined> {
  // The file is missing if a studio that ends has deleted it.
  const text = await readFile(studioPath(home), "utf8").catch(ignoreMissing);
  if (text === undefined) return undefined;
  const { home: written, ...studio } = StudioFile.parse(JSON.parse(text));
  const isOwn = written === undefined || written === (await realpath(home));
  return isOwn && isStudio(studio.pid) ? studio : undefined;
}

/** Stores the file so that only its owner can read it: it contains the database's password. */
export async function writeStudio(home: string, studio: Studio): Promise<void> {
  const partial = `${studioPath(home)}.new`;
  await writeFile(partial, JSON.stringify({ ...studio, home: await realpath(home) }), { mode: 0o600 });
  await rename(partial, studioPath(home));
}

export async function removeStudio(home: string): Promise<void> {
  await rm(studioPath(home), { force: true });
}

function studioPath(home: string): string {
  return join(home, "studio.json");
}

/** Command line of a supervisor: the program itself, or npm's link to it. */
const supervisor = /server\/start\/start\.mjs|\/arlarena-studio\0/;

// After a reboot, another program may have the process id, as its command line in /proc shows.
function isStudio(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, "EPERM");
  }
  const command = `/proc/${pid}/cmdline`;
  return !existsSync(command) || supervisor.test(readFileSync(command, "utf8"));
}
