import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "#server/db/storage/client.ts";
import { listTrackedLogs } from "#server/db/trainers/tracked.ts";
import { makeApplier } from "./applier.ts";

/** Applies, in the background, journal lines that were acknowledged before this process started. */
export function resumeApplying(database: Database): void {
  const applier = makeApplier(database);
  const look = async () => {
    for (const { attemptId, folder, logOffset } of await listTrackedLogs(database)) {
      const size = (await stat(join(folder, "events.jsonl")).catch(() => undefined))?.size ?? 0;
      if (size > logOffset) applier.touch({ attemptId, folder });
    }
  };
  const tryAgain = () => void look().catch(() => setTimeout(tryAgain, retryMs).unref());
  tryAgain();
}

const retryMs = 5000;
