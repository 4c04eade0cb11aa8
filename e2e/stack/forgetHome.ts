import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

// Options for removing a folder. Removal is retried, because PostgreSQL may still write a file into an emptied folder
// while it shuts down.
const insist = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 } as const;

/**
 * Ends the trainers of a state folder's runs, which outlive their studio by design. Finds them through /proc (Linux).
 */
async function endTrainers(home: string): Promise<void> {
  for (const pid of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(pid)) continue;
    const command = await readFile(join("/proc", pid, "cmdline"), "utf8").catch(() => "");
    if (!command.includes(`${home}/runs/`)) continue;
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // The process has ended meanwhile.
    }
  }
}

/** Ends a state folder's trainers and removes the folder, and its database if that is elsewhere (for root). */
export async function forgetHome(home: string): Promise<void> {
  await endTrainers(home);
  const elsewhere = (await readFile(join(home, "postgres.location"), "utf8").catch(() => "")).trim();
  if (elsewhere !== "") await rm(elsewhere, insist);
  await rm(home, insist);
}
