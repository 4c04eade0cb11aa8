import { existsSync, readFileSync } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isSameFolder } from "./binding.ts";
import { type Disk, diskMarks, isFullNow } from "#server/domain/fleet/nodes/machine.ts";

/** Parses postmaster.pid: line 1 is the process id, line 8 the status. Undefined without the file. */
export function readPostmaster(dataFolder: string): { pid: number; isReady: boolean } | undefined {
  const path = join(dataFolder, "postmaster.pid");
  if (!existsSync(path)) return undefined;
  const lines = readFileSync(path, "utf8").split("\n");
  const pid = Number(lines[0]);
  return Number.isInteger(pid) && pid > 1 ? { pid, isReady: lines[7]?.trim() === "ready" } : undefined;
}

/**
 * Ends a server that a killed studio left running on the data. Throws if a living studio uses the data. A pid file
 * that names no server of these data is removed, because PostgreSQL would not start beside it.
 */
export async function endLeftover(dataFolder: string): Promise<void> {
  const postmaster = readPostmaster(dataFolder);
  if (postmaster === undefined) return;
  const { pid } = postmaster;
  if (!(await isServerOf(dataFolder, pid))) return await rm(join(dataFolder, "postmaster.pid"), { force: true });
  const parent = Number(stateOf(pid).split(" ")[1]);
  if (parent > 1 && parent !== process.pid && /\bnode\b/.test(commandOf(parent)))
    throw new Error(`the database in ${dataFolder} is in use by the studio of process ${parent}; stop it first`);
  await endProcess(pid);
}

// A server's working directory is its data folder, even after somebody has renamed it. Its arguments name the path at
// its start; they decide where another user's processes hide their working directory, as in some containers.
async function isServerOf(dataFolder: string, pid: number): Promise<boolean> {
  const command = commandOf(pid);
  const folder = `/proc/${pid}/cwd`;
  const isHidden = await stat(folder).then(
    () => false,
    () => true,
  );
  if (isHidden) return ` ${command.replaceAll("\0", " ")} `.includes(` ${dataFolder} `);
  return command.includes("postgres") && (await isSameFolder(folder, dataFolder));
}

/** Ends a PostgreSQL server: first by a fast shutdown, then by an immediate one, then by SIGKILL. */
export async function endProcess(pid: number): Promise<void> {
  const steps = [
    ["SIGINT", 10_000],
    ["SIGQUIT", 5_000],
    ["SIGKILL", 2_000],
  ] as const;
  for (const [signal, patienceMs] of steps) {
    if (!signalProcess(pid, signal)) return;
    const until = Date.now() + patienceMs;
    while (Date.now() < until && isAlive(pid)) await sleep(20);
  }
}

/** True while a process runs. A zombie counts as ended, because it only waits to be reaped. */
export function isAlive(pid: number): boolean {
  return signalProcess(pid, 0) && !stateOf(pid).startsWith("Z");
}

function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function stateOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "");
  } catch {
    return "";
  }
}

function commandOf(pid: number): string {
  if (!existsSync("/proc/self"))
    return spawnSync("ps", ["-p", String(pid), "-o", "command="], { encoding: "utf8" }).stdout;
  return existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : "";
}

/** File that reserves disk space for the database; the space is released while the disk is full. */
type Reserve = {
  /** Compares free space with the limits and releases or restores the reserve. Returns true while the disk is full. */
  look(disk: Disk): Promise<boolean>;
};

const maxBytes = 64e6;
/** Maximum bytes that logs and checkpoints write between two checks: above, a program fills the disk. */
const calmBytes = 4e6;

/** Without the reserve, a full disk would leave no space to record that runs wait. */
export function makeReserve(dataFolder: string): Reserve {
  const path = join(dirname(dataFolder), "reserve");
  let isFull = false;
  let freeBefore = Infinity;
  return {
    async look(disk) {
      isFull = isFullNow(disk, isFull);
      // A program that is still filling the disk would fill the reserve's space too.
      const isCalm = freeBefore - disk.freeBytes < calmBytes;
      freeBefore = disk.freeBytes;
      const wanted = Math.round(Math.min(maxBytes, disk.totalBytes / 16));
      const size = (await stat(path).catch(() => undefined))?.size ?? 0;
      if (isFull && isCalm) await rm(path, { force: true });
      if (isFull) return true;
      // The reserve is not created or enlarged if that would itself make the disk count as full.
      if (size !== wanted && disk.freeBytes + size - wanted > diskMarks(disk).high) await fill(path, wanted);
      return false;
    },
  };
}

/** Writes real bytes, because a sparse file would reserve no space. A file that does not fit is deleted. */
async function fill(path: string, numBytes: number): Promise<void> {
  try {
    const file = await open(path, "w", 0o600);
    try {
      const chunk = Buffer.alloc(1 << 20);
      for (let at = 0; at < numBytes; at += chunk.length)
        await file.write(chunk, 0, Math.min(chunk.length, numBytes - at));
    } finally {
      await file.close();
    }
  } catch {
    await rm(path, { force: true });
  }
}
