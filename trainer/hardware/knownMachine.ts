import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { hostname, uptime } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { Machine } from "#trainer/spec/machine.ts";
import { lookAtMachine } from "./lookAtMachine.ts";

/** What a look depended on, and what it found. */
const Kept = z.object({ key: z.string(), machine: Machine });

/** Until a provider that was late is tried again. */
const lateAgainMs = 10 * 60_000;

/**
 * This machine as it was found when a trainer of this code first looked at it since it was started; kept in `folder`.
 * Code that may change between two looks (`code` undefined) keeps nothing.
 */
export async function knownMachine(folder: string | undefined, code: string | undefined): Promise<Machine> {
  if (folder === undefined || code === undefined) return await lookAtMachine();
  const path = join(folder, "machines", `${hostname()}.json`);
  const { LD_LIBRARY_PATH, VK_ICD_FILENAMES, ARLARENA_CUDA, PATH } = process.env;
  const key = JSON.stringify([code, readBoot(), LD_LIBRARY_PATH, VK_ICD_FILENAMES, ARLARENA_CUDA, PATH]);
  const kept = readKept(path);
  if (kept?.key === key && (kept.machine.isComplete || Date.now() - kept.machine.atMs < lateAgainMs)) {
    return kept.machine;
  }
  const machine = await lookAtMachine();
  mkdirSync(join(folder, "machines"), { recursive: true });
  writeFileSync(`${path}.${process.pid}`, JSON.stringify({ key, machine }));
  renameSync(`${path}.${process.pid}`, path);
  return machine;
}

function readKept(path: string): z.infer<typeof Kept> | undefined {
  try {
    return Kept.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    // Never written, or by other code.
    return undefined;
  }
}

/** Names this start of the machine; where the system has no name for it, by the minute. */
function readBoot(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return String(Math.round((Date.now() / 1000 - uptime()) / 60));
  }
}
