import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { hostname, uptime } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { Machine } from "#trainer/spec/machine.ts";
import { executionProviders } from "#trainer/spec/run.ts";
import { readGpus } from "./readGpus.ts";
import { tryProvider } from "./tryProvider.ts";

/** File with the cached probe of a machine's execution providers and GPUs, valid while `key` is unchanged. */
const Kept = z.object({ key: z.string(), machine: Machine });

/** Delay in ms before an execution provider whose probe timed out is probed again. */
const lateAgainMs = 10 * 60_000;

/**
 * Returns which execution providers and GPUs this machine has, from the probe cached in `folder`. A probe is valid
 * until the next boot, for the same `code` (a hash of the trainer's source) and the same library paths. If `folder`
 * or `code` is undefined, nothing is cached.
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
    // The file is missing, or another version of the trainer wrote it.
    return undefined;
  }
}

/** Returns a key of the machine's current boot. If the system has no boot id, the key is the boot time in minutes. */
function readBoot(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return String(Math.round((Date.now() / 1000 - uptime()) / 60));
  }
}

async function lookAtMachine(): Promise<Machine> {
  const [trials, { gpus, problem }] = await Promise.all([
    Promise.all(executionProviders.map(async (name) => ({ name, ...(await tryProvider(name)) }))),
    readGpus(),
  ]);
  return {
    host: hostname(),
    atMs: Date.now(),
    providers: Object.fromEntries(trials.map(({ name, why }) => [name, why])),
    isComplete: trials.every(({ isLate }) => !isLate),
    gpus,
    problem,
  };
}
