import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";

// PostgreSQL that is being ended may still write a file into a folder that was just emptied.
const insist = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 } as const;

/** Removes a state folder, and its database where that had to live elsewhere (PostgreSQL refuses to run as root). */
export async function forgetHome(home: string): Promise<void> {
  const elsewhere = (await readFile(join(home, "postgres.location"), "utf8").catch(() => "")).trim();
  if (elsewhere !== "") await rm(elsewhere, insist);
  await rm(home, insist);
}
