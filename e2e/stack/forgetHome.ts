import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

// PostgreSQL may still write a file while it shuts down, into a folder that was just emptied.
const insist = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 } as const;

/** Ends the trainers of a state folder, which outlive their studio by design and would go on without a folder. Finds them through /proc (Linux). */
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

/** Ends the trainers of a state folder and removes it, with its database if that is elsewhere (PostgreSQL refuses to run as root). */
export async function forgetHome(home: string): Promise<void> {
  await endTrainers(home);
  const elsewhere = (await readFile(join(home, "postgres.location"), "utf8").catch(() => "")).trim();
  if (elsewhere !== "") await rm(elsewhere, insist);
  await rm(home, insist);
}
