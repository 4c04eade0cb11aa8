import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Launcher } from "../launcher.ts";
import { readChunk } from "../local.ts";
import { cancel } from "./cancel.ts";
import { makeCluster, type SlurmOptions } from "./cluster.ts";
import { observe } from "./observe.ts";
import { flush, submit } from "./submit.ts";
import { makeAskSlurm } from "./tools.ts";

/**
 * Jobs of a Slurm cluster whose machines share a file system with this one. The attempt's folder is the second witness:
 * the receipt of the submission, the exit code and the log lie there, so that no answer of Slurm's is ever missed.
 */
export function makeSlurmLauncher(options: SlurmOptions): Launcher {
  const { pollMs = 5000, patienceMs = 5000, gatherMs = 0, ask = makeAskSlurm(process.env), now = Date.now } = options;
  const cluster = makeCluster({ ...options, ask, now, gatherMs });
  const { memory } = cluster;
  let lastPollMs = 0;
  return {
    node: options.node.name,
    folderOf: cluster.folderOf,
    launch: (job) => submit(cluster, job),
    observe: async (jobs) => {
      await rest(lastPollMs + (jobs.length > 0 ? pollMs : 5 * pollMs) - Date.now());
      // Whoever looks after jobs wants to see what became of them, not that they wait for company; nor waits for sbatch.
      await Promise.race([flush(cluster), rest(patienceMs)]);
      const observation = await observe(cluster, jobs);
      lastPollMs = Date.now();
      return observation;
    },
    cancel: async (jobId) => {
      memory.gathered.delete(jobId);
      await memory.queue;
      await cancel(cluster, jobId);
    },
    letGo: () => {
      clearTimeout(memory.timer);
      memory.gathered.clear();
    },
    readLog: (jobId, fromByte) => readChunk(join(cluster.folderOf(jobId), "events.jsonl"), fromByte),
  };
}

// Keeps no process alive that has nothing else to do.
async function rest(ms: number): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { ref: false });
}
