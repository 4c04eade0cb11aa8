import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

// PostgreSQL that is being ended may still write a file into a folder that was just emptied.
const insist = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 } as const;

/** Ends the trainers of a state folder, which outlive their studio by design and would train on without a folder. Linux tells which they are. */
async function endTrainers(home: string): Promise<void> {
  for (const pid of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(pid)) continue;
    const command = await readFile(join("/proc", pid, "cmdline"), "utf8").catch(() => "");
    if (!command.includes(`${home}/runs/`)) continue;
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Removes a state folder, and its database where that had to live elsewhere (PostgreSQL refuses to run as root); what trains in it is ended. */
export async function forgetHome(home: string): Promise<void> {
  await endTrainers(home);
  const elsewhere = (await readFile(join(home, "postgres.location"), "utf8").catch(() => "")).trim();
  if (elsewhere !== "") await rm(elsewhere, insist);
  await rm(home, insist);
}
