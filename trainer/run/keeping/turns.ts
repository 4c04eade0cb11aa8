import { linkSync, mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** A process of this machine that survives reuse of its number. */
const Owner = z.object({ machine: z.string(), pid: z.int(), startTime: z.string() });
type Owner = z.infer<typeof Owner>;

/**
 * Asks for the work in a folder, which one process does at a time. `mine`: this process does it from now on, after no
 * one or after a process that has ended. `taken`: another one does it. `unknown`: that cannot be told here.
 */
export function takeTurn(folder: string): "mine" | "taken" | "unknown" {
  const own = identify(process.pid);
  if (!own) return "unknown";
  mkdirSync(folder, { recursive: true });
  // Owners are numbered, and only the number after the last one is free: two processes cannot both follow a third.
  for (;;) {
    try {
      const last = Math.max(0, ...readdirSync(folder).map((name) => Number(/^owner-(\d+)$/.exec(name)?.[1] ?? 0)));
      const owner = last === 0 ? undefined : readOwner(join(folder, `owner-${last}`));
      if (owner && owner.machine !== own.machine) return "unknown";
      const alive = owner && identify(owner.pid);
      if (owner && alive?.startTime === owner.startTime) return owner.pid === own.pid ? "mine" : "taken";
      write(folder, `owner-${last + 1}`, own);
      return "mine";
    } catch (error) {
      // Another process came first (EEXIST), or finished the work and removed the folder (ENOENT).
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code !== "EEXIST" && code !== "ENOENT") throw error;
      mkdirSync(folder, { recursive: true });
    }
  }
}

/** Throws where the file exists. It appears with its contents. */
function write(folder: string, name: string, owner: Owner): void {
  const draft = join(folder, `${name}.${process.pid}`);
  try {
    writeFileSync(draft, JSON.stringify(owner));
    linkSync(draft, join(folder, name));
  } finally {
    rmSync(draft, { force: true });
  }
}

function readOwner(path: string): Owner {
  return Owner.parse(JSON.parse(readFileSync(path, "utf8")));
}

/** Undefined: no such process, or a system without /proc. A zombie has ended and only waits to be reaped. */
function identify(pid: number): Owner | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state = "Z", ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // Containers of one machine number their processes separately.
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const machine = `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
    return state === "Z" ? undefined : { machine, pid, startTime: fields[18] ?? "" };
  } catch {
    return undefined;
  }
}
