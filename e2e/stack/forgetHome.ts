import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";

/** Removes a state folder, and its database where that had to live elsewhere (PostgreSQL refuses to run as root). */
export async function forgetHome(home: string): Promise<void> {
  const elsewhere = (await readFile(join(home, "postgres.location"), "utf8").catch(() => "")).trim();
  if (elsewhere !== "") await rm(elsewhere, { recursive: true, force: true });
  await rm(home, { recursive: true, force: true });
}
