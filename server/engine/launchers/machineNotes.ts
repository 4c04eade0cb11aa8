import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Machine } from "#trainer/spec/machine.ts";
import type { Launcher } from "./launcher.ts";

/**
 * Launcher of a cluster whose machines can be inspected only by a job. A trainer writes what it found beside its log
 * (`machine.json`); each job's file is reported once.
 */
export function withMachineNotes(launcher: Launcher): Launcher {
  const told = new Set<string>();
  const read = async (jobId: string): Promise<Machine[]> => {
    const text = await readFile(join(launcher.folderOf(jobId), "machine.json"), "utf8").catch(() => undefined);
    if (text === undefined) return [];
    told.add(jobId);
    // Written by another version of the trainer, or incomplete.
    const { success, data } = Machine.safeParse(toJson(text));
    return success ? [data] : [];
  };
  return {
    ...launcher,
    observe: async (jobs) => {
      const { states, contact } = await launcher.observe(jobs);
      const asked = new Set(jobs.map(({ jobId }) => jobId));
      for (const jobId of told) if (!asked.has(jobId)) told.delete(jobId);
      if (!contact.isMade) return { states, contact };
      const fresh = [...asked].filter((jobId) => !told.has(jobId));
      const machines = (await Promise.all(fresh.map(read))).flat();
      return { states, contact: machines.length > 0 ? { ...contact, machines } : contact };
    },
  };
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
