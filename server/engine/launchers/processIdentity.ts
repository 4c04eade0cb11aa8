import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { z } from "zod";
import { ignoreMissing } from "#server/config/fileErrors.ts";

/** Identifies a process even if its pid is reused later. `pid` 0: the process never started. */
export const ProcessIdentity = z.object({ pid: z.int().min(0), startTime: z.string(), bootId: z.string() });
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

export type Life = { is: "alive" } | { is: "gone"; evidence: string } | { is: "unknown"; why: string };

/** Checks if any process of a process group, including its leader, still runs. */
export async function observeProcess(identity: ProcessIdentity): Promise<Life> {
  try {
    const bootId = await readBootId();
    if (bootId !== identity.bootId) return { is: "gone", evidence: "the machine was restarted since" };
    const startTime = await readStartTime(identity.pid);
    if (startTime === identity.startTime) return { is: "alive" };
    if (startTime !== undefined) {
      return { is: "gone", evidence: `process ${identity.pid} is another one, started later` };
    }
    // The leader may be killed while the trainer survives; a group id is not reused while the group has members.
    if (hasGroup(identity.pid)) return { is: "alive" };
    return { is: "gone", evidence: `process ${identity.pid} is gone and left no exit code` };
  } catch (error) {
    return { is: "unknown", why: error instanceof Error ? error.message : String(error) };
  }
}

export async function identifyProcess(pid: number): Promise<ProcessIdentity> {
  return { pid, startTime: (await readStartTime(pid)) ?? "", bootId: await readBootId() };
}

/** True while the process itself runs; other processes of its group are ignored. */
export async function isAlive({ pid, startTime, bootId }: ProcessIdentity): Promise<boolean> {
  return (await readStartTime(pid)) === startTime && (await readBootId()) === bootId;
}

/** Sends a signal to a process group. False if no process is left to receive it. */
export function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  if (pid <= 1) return false;
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

function hasGroup(pid: number): boolean {
  return signalGroup(pid, 0);
}

const run = promisify(execFile);
const hasProc = existsSync("/proc/self/stat");

async function readBootId(): Promise<string> {
  if (hasProc) return (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
  return await run("sysctl", ["-n", "kern.bootsessionuuid"]).then(
    ({ stdout }) => stdout.trim(),
    () => "unknown",
  );
}

// Returns a process's start time; undefined if the process does not exist or has ended (zombie). In /proc/PID/stat,
// field 3 is the state and field 22 the start time. Field 2, the program's name, may contain spaces and brackets.
async function readStartTime(pid: number): Promise<string | undefined> {
  if (!hasProc) {
    const env = { ...process.env, LC_ALL: "C" };
    const { stdout } = await run("ps", ["-o", "lstart=", "-p", String(pid)], { env }).catch(() => ({ stdout: "" }));
    return stdout.trim() === "" ? undefined : stdout.replace(/\n$/, "");
  }
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(ignoreMissing);
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields?.[0] === "Z" ? undefined : fields?.[19];
}
