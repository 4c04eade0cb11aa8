import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Launcher } from "../launcher.ts";
import { parseJobId } from "../launcher.ts";
import { readChunk } from "../local.ts";
import { type Cluster, makeRayApi, type RayOptions } from "./api.ts";
import { readReceipt, writeReceipt } from "./protocol.ts";
import { observe } from "./observe.ts";
import { submit } from "./submit.ts";

/**
 * Runs jobs on a Ray cluster over its head's HTTP API alone. Inputs are uploaded as packages; outputs return through
 * the job's log and are stored like those of a local job.
 */
export function makeRayLauncher(options: RayOptions): Launcher {
  const { node, home, pollMs = 2000, absenceMs = 120_000, now = Date.now } = options;
  const folderOf = (jobId: string) => {
    const { runId, attempt } = parseJobId(jobId);
    return join(home, "runs", runId, String(attempt));
  };
  const memory = { uploads: new Map(), numLines: new Map(), absentSince: new Map(), unreadSince: new Map() };
  const cluster: Cluster = { ...options, api: makeRayApi(node), now, absenceMs, folderOf, memory };
  let lastPollMs = 0;
  return {
    node: node.name,
    folderOf,
    launch: (job) => submit(cluster, job),
    observe: async (jobs) => {
      // Does not keep an otherwise idle process alive.
      const restMs = lastPollMs + (jobs.length > 0 ? pollMs : 5 * pollMs) - Date.now();
      if (restMs > 0) await sleep(restMs, undefined, { ref: false });
      const observation = await observe(cluster, jobs);
      lastPollMs = Date.now();
      return observation;
    },
    cancel: (jobId) => cancel(cluster, jobId),
    readLog: (jobId, fromByte) => readChunk(join(folderOf(jobId), "events.jsonl"), fromByte),
  };
}

/** Asks a job to stop; Ray kills it after `stopSeconds`. A job not yet submitted never will be. */
async function cancel({ api, folderOf, now }: Cluster, jobId: string): Promise<void> {
  const folder = folderOf(jobId);
  const receipt = await readReceipt(folder);
  switch (receipt.is) {
    case "refused":
    case "prevented":
      return;
    case "new":
      return await writeReceipt(folder, { is: "prevented" });
    case "asked":
      // The job may exist without a noted answer.
      if (!(await api.stop(jobId))) await writeReceipt(folder, { is: "prevented" });
      return;
    case "accepted":
      // Noted first, so that a stopped job is recognised as cancelled by us.
      if (receipt.cancelledAtMs === undefined) await writeReceipt(folder, { ...receipt, cancelledAtMs: now() });
      await api.stop(jobId);
  }
}
