import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type ExternalJob, readArguments } from "#packages/trainers";
import { formatCount } from "#packages/base";
import type { LocalJournal } from "#server/engine/trainers/journal.ts";
import { findNewest } from "./trlCheckpoint.ts";

/** Other trainers save nothing on a signal. Steps since the last checkpoint are lost, in words for the run page. */
export async function describeLost(job: Pick<ExternalJob, "argv" | "folder">, journal: LocalJournal): Promise<string> {
  const last = Math.max(0, ...journal.read().map(({ step }) => step));
  const saved = await readSavedStep(job);
  if (last === 0) return "it had measured no step yet";
  if (saved === "unknown") {
    return "it saves nothing when asked to stop: its steps since its last checkpoint are lost";
  }
  if (saved === 0) return `it had saved no checkpoint: ${last === 1 ? "its 1 step is" : `all ${last} steps are`} lost`;
  const lost = last - saved;
  if (lost <= 0) return `no step is lost: its last checkpoint is of step ${saved}`;
  return `${formatCount(lost, "step")} since its last checkpoint (step ${saved}) ${lost === 1 ? "is" : "are"} lost`;
}

/** Step of the newest checkpoint, 0 for none; only of trainers whose checkpoints can be found. */
async function readSavedStep({ argv, folder }: Pick<ExternalJob, "argv" | "folder">): Promise<number | "unknown"> {
  const setting = argv.findLast((one) => /^\+*trainer\.default_local_dir=/.test(one));
  if (setting !== undefined) {
    const path = resolve(folder, setting.slice(setting.indexOf("=") + 1), "latest_checkpointed_iteration.txt");
    const text = await readFile(path, "utf8").catch(() => "");
    return Number.parseInt(text, 10) || 0;
  }
  const output = readArguments(argv).get("output_dir");
  if (output === undefined) return "unknown";
  return (await findNewest(join(resolve(folder, output))))?.step ?? 0;
}
