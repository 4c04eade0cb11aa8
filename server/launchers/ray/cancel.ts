import type { Cluster } from "./cluster.ts";
import { readReceipt, writeReceipt } from "./receipt.ts";

/** Asks a job to stop; Ray kills it `stopSeconds` later. One that was never submitted never will be. */
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
      // It may be there without our knowing.
      if (!(await api.stop(jobId))) await writeReceipt(folder, { is: "prevented" });
      return;
    case "accepted":
      // Noted first: who sees it stopped must know that it was we.
      if (receipt.cancelledAtMs === undefined) await writeReceipt(folder, { ...receipt, cancelledAtMs: now() });
      await api.stop(jobId);
  }
}
