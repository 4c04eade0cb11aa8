import type { Cluster } from "./cluster.ts";
import { readReceipt, writeReceipt } from "./receipt.ts";

/** Asks a job to stop; Ray kills it after `stopSeconds`. A job not yet submitted never will be. */
export async function cancel({ api, folderOf, now }: Cluster, jobId: string): Promise<void> {
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
