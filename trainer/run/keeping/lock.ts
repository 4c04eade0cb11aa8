import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** Identity of a process on this machine. The start time distinguishes it from a later process with the same id. */
const Owner = z.object({ machine: z.string(), pid: z.int(), startTime: z.string() });
type Owner = z.infer<typeof Owner>;

/** Time in ms after which an owner that has not renewed its lock counts as suspended and loses it. */
const leaseMs = 120_000;

/**
 * Requests the lock on a folder, the exclusive right to compute in it. `mine`: this process now holds it, because it
 * was free, or because its owner has ended or does not renew it. `taken`: another process holds it. `unknown`: the
 * owner cannot be determined here.
 */
export function requestLock(folder: string): "mine" | "taken" | "unknown" {
  const own = identify(process.pid);
  if (!own) return "unknown";
  // Owners are numbered, and a new owner's file must not exist, so two processes cannot succeed the same owner.
  for (;;) {
    try {
      mkdirSync(folder, { recursive: true });
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
      // Another process took the lock first (EEXIST), or finished the work and removed the folder (ENOENT).
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code !== "EEXIST" && code !== "ENOENT") throw error;
    }
  }
}

/** Removes the folder and its lock, renamed first: another process may request the lock during the deletion. */
export function releaseLock(folder: string): void {
  const removed = `${folder}.${process.pid}.part`;
  try {
    renameSync(folder, removed);
  } catch {
    // Another process has already removed the folder.
    return;
  }
  // A removal fails if another process creates a file in the folder meanwhile, so it is repeated.
  for (let tries = 5; tries > 0 && existsSync(removed); tries -= 1) {
    try {
      rmSync(removed, { recursive: true, force: true });
    } catch (error) {
      if (tries === 1) console.error(`${removed} could not be removed: ${String(error)}`);
    }
  }
}

/** Returns the number of the lock's last owner; 0 if there was none yet. */
function lastOwner(folder: string): number {
  return Math.max(0, ...readdirSync(folder).map((name) => Number(/^owner-(\d+)$/.exec(name)?.[1] ?? 0)));
}

/** Renews the lock until `close`. `isHeld` is false once another process took over during a suspension. */
export function keepLock(folder: string): { isHeld: () => boolean; close: () => void } {
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
      // The folder was removed, so there is no lock left to renew.
    }
  };
  const timer = setInterval(renew, leaseMs / 12).unref();
  return { isHeld: () => ownPath() !== undefined, close: () => clearInterval(timer) };
}

/** Writes an owner's file atomically: other processes see the complete file or none. Throws if the file exists. */
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

/** Identifies a process; undefined if it does not exist, is a zombie (ended but not reaped), or without /proc. */
function identify(pid: number): Owner | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state = "Z", ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // Containers number their processes separately, so the process-id namespace is part of the identity.
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const machine = `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
    return state === "Z" ? undefined : { machine, pid, startTime: fields[18] ?? "" };
  } catch {
    return undefined;
  }
}
