import {
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** Process of this machine. Its start time tells it from a later process with the same process id. */
const Owner = z.object({ machine: z.string(), pid: z.int(), startTime: z.string() });
type Owner = z.infer<typeof Owner>;

/** An owner that has not renewed its turn for so long is suspended, and another process takes over. */
const leaseMs = 120_000;

/**
 * Requests the right to compute in a folder, which one process has at a time. `mine`: this process has it from now on,
 * because nobody had it, or the process that had it has ended or does not renew it. `taken`: another process has it.
 * `unknown`: this cannot be determined here.
 */
export function takeTurn(folder: string): "mine" | "taken" | "unknown" {
  const own = identify(process.pid);
  if (!own) return "unknown";
  mkdirSync(folder, { recursive: true });
  // Owners are numbered, and only the number after the last one is free: two processes cannot both follow a third.
  for (;;) {
    try {
      const last = lastOwner(folder);
      const path = join(folder, `owner-${last}`);
      const owner = last === 0 ? undefined : readOwner(path);
      if (owner && owner.machine !== own.machine) return "unknown";
      const alive = owner && identify(owner.pid);
      const isAlive = owner !== undefined && alive?.startTime === owner.startTime;
      if (isAlive && owner.pid === own.pid) return "mine";
      if (isAlive && Date.now() - statSync(path).mtimeMs < leaseMs) return "taken";
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

/** The number of the last owner; 0: none yet. */
function lastOwner(folder: string): number {
  return Math.max(0, ...readdirSync(folder).map((name) => Number(/^owner-(\d+)$/.exec(name)?.[1] ?? 0)));
}

/** Keeps this process's turn until it is closed. It is lost where the process was suspended and another one took over. */
export function holdTurn(folder: string): { isHeld: () => boolean; close: () => void } {
  const ownPath = (): string | undefined => {
    try {
      const path = join(folder, `owner-${lastOwner(folder)}`);
      return readOwner(path).pid === process.pid ? path : undefined;
    } catch {
      // Another process has finished the work and removed the folder.
      return undefined;
    }
  };
  const renew = (): void => {
    const path = ownPath();
    try {
      if (path !== undefined) utimesSync(path, new Date(), new Date());
    } catch {
      // The folder was removed meanwhile, so there is nothing left to renew.
    }
  };
  const timer = setInterval(renew, leaseMs / 12).unref();
  return { isHeld: () => ownPath() !== undefined, close: () => clearInterval(timer) };
}

/** Writes a file atomically: other processes see the whole file or none. Throws if it exists. */
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

/**
 * Identifies a process; undefined if there is no such process, or no /proc. A zombie has ended and only waits to be
 * reaped.
 */
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
