import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Machine } from "#trainer/spec/machine.ts";
import type { Launcher } from "./launcher.ts";

/**
 * A launcher of a cluster, whose machines nobody can look at before a job is on them: a trainer leaves what it found
 * beside its log (`machine.json`), and each job's is told once.
 */
export function withMachineNotes(launcher: Launcher): Launcher {
  const told = new Set<string>();
  const read = async (jobId: string): Promise<Machine[]> => {
    const text = await readFile(join(launcher.folderOf(jobId), "machine.json"), "utf8").catch(() => undefined);
    if (text === undefined) return [];
    told.add(jobId);
    // By another version of the trainer, or not whole.
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
