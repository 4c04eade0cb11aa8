import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Contents of postmaster.pid: line 1 is the process id, line 8 its status. */
export function readPostmaster(dataFolder: string): { pid: number; isReady: boolean } | undefined {
  const path = join(dataFolder, "postmaster.pid");
  if (!existsSync(path)) return undefined;
  const lines = readFileSync(path, "utf8").split("\n");
  const pid = Number(lines[0]);
  return Number.isInteger(pid) && pid > 1 ? { pid, isReady: lines[7]?.trim() === "ready" } : undefined;
}

/**
 * Ends the server left by a dead supervisor. If the process id now belongs to another program, it gets no signal. Then
 * only the stale file is deleted, which would block PostgreSQL's start.
 */
export async function endLeftover(dataFolder: string): Promise<void> {
  const postmaster = readPostmaster(dataFolder);
  if (postmaster === undefined) return;
  if (commandOf(postmaster.pid).includes(dataFolder)) await endProcess(postmaster.pid);
  else await rm(join(dataFolder, "postmaster.pid"), { force: true });
}

/** Fast shutdown, then immediate shutdown, then SIGKILL. */
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

/** A zombie counts as dead: it only waits to be reaped. */
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
