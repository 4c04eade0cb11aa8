import { writeWhole } from "#server/config/writeWhole.ts";
import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { exists } from "../files.ts";
import { z } from "zod";
import { ignoreMissing } from "#server/config/fileErrors.ts";
import { readHost } from "./stateReports.ts";
import type { Traces } from "./toJobState.ts";

export const Receipt = z.object({ slurmId: z.string(), submittedAtMs: z.number() });
export type Receipt = z.infer<typeof Receipt>;

/** Array job in which an attempt was submitted, and the attempt's task index. */
const Within = z.object({ array: z.string(), index: z.number() });
type Within = z.infer<typeof Within>;

export type Submitted =
  | { is: "new" }
  /** sbatch was called and its response was not recorded: the job may exist. */
  | { is: "asked"; atMs: number; within: Within | undefined }
  /** `isClaimed`: a batch script has started in the folder; `receipt` then belongs to the script's job. */
  | { is: "accepted"; receipt: Receipt; isClaimed: boolean }
  | { is: "refused"; why: string }
  /** The job was cancelled before submission and will never be submitted. */
  | { is: "prevented" };

const names = {
  asked: "slurm.asked",
  receipt: "slurm.json",
  refused: "slurm.refused",
  prevented: "slurm.forestalled",
};

export async function readSubmitted(folder: string): Promise<Submitted> {
  const receipt = await readText(join(folder, names.receipt));
  if (receipt !== undefined) {
    return { is: "accepted", ...withClaim(Receipt.parse(JSON.parse(receipt)), await readText(join(folder, "claim"))) };
  }
  if (await exists(join(folder, names.prevented))) return { is: "prevented" };
  const why = await readText(join(folder, names.refused));
  if (why !== undefined) return { is: "refused", why: why.trim() };
  const asked = await stat(join(folder, names.asked)).catch(ignoreMissing);
  if (asked === undefined) return { is: "new" };
  const within = await readText(join(folder, names.asked));
  return { is: "asked", atMs: asked.mtimeMs, within: within ? Within.parse(JSON.parse(within)) : undefined };
}

// Replaces the Slurm id by that of the job that started first: a lost response may cause a second submission.
function withClaim(receipt: Receipt, claim: string | undefined): { receipt: Receipt; isClaimed: boolean } {
  const slurmId = claim?.trim() ?? "";
  const isIdAlike = /^\d+(_\d+)?$/.test(slurmId) && slurmId.includes("_") === receipt.slurmId.includes("_");
  return { receipt: isIdAlike ? { ...receipt, slurmId } : receipt, isClaimed: claim !== undefined };
}

export async function noteAsked(folder: string, within?: Within): Promise<void> {
  await writeWhole(join(folder, names.asked), within === undefined ? "" : JSON.stringify(within));
}

/** Records sbatch's response: a receipt, a refusal, or "not now", after which the attempt counts as not submitted. */
export async function noteAnswer(folder: string, answer: Receipt | { refused: string } | "later"): Promise<void> {
  if (answer === "later") return await rm(join(folder, names.asked), { force: true });
  if ("refused" in answer) return await writeWhole(join(folder, names.refused), `${answer.refused}\n`);
  await writeWhole(join(folder, names.receipt), `${JSON.stringify(answer)}\n`);
}

export async function preventStart(folder: string): Promise<void> {
  await writeWhole(join(folder, names.prevented), "");
  await noteOver(folder);
}

/** True if a job was asked to stop before it began. The job can then no longer begin. */
export async function wasPrevented(folder: string): Promise<boolean> {
  if ((await readCancelled(folder)) === undefined) return false;
  if (await exists(join(folder, "claim"))) return false;
  await noteOver(folder);
  return !(await exists(join(folder, "claim")));
}

/** Marks the folder as finished, so that the batch script exits at once if Slurm starts it again. */
export async function noteOver(folder: string): Promise<void> {
  if (!(await exists(join(folder, "over")))) await writeWhole(join(folder, "over"), "");
}

/** Returns the time of the first stop request; undefined if there was none. */
export async function readCancelled(folder: string): Promise<number | undefined> {
  return (await stat(join(folder, "cancel")).catch(ignoreMissing))?.mtimeMs;
}

export async function noteCancelled(folder: string): Promise<void> {
  await writeWhole(join(folder, "cancel"), "");
}

/** Values that the batch script wrote into its folder: its machine's name at its start, other values at its end. */
export type Written = Pick<Traces, "exitCode" | "exitAgeMs" | "cause"> & { host: string | undefined };

const Cause = z.enum(["timed_out", "node_failed"]);

export async function readTraces(folder: string, nowMs: number): Promise<Written> {
  const [text, cause, host] = await Promise.all(["exit", "cause", "host"].map((name) => readText(join(folder, name))));
  const written = text === undefined ? undefined : await stat(join(folder, "exit")).catch(ignoreMissing);
  return {
    exitCode: text === undefined ? undefined : Number.parseInt(text, 10),
    exitAgeMs: written === undefined ? 0 : nowMs - written.mtimeMs,
    cause: Cause.safeParse(cause?.trim()).data,
    host: readHost(host),
  };
}

async function readText(path: string): Promise<string | undefined> {
  return await readFile(path, "utf8").catch(ignoreMissing);
}
