import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { exists } from "../exists.ts";
import { z } from "zod";
import { ignoreMissing } from "../processIdentity.ts";
import { writeWhole } from "../writeWhole.ts";
import { readHost } from "./stateReports.ts";
import type { Traces } from "./toJobState.ts";

/** Slurm's receipt for an attempt, kept in the attempt's folder. */
export const Receipt = z.object({ slurmId: z.string(), submittedAtMs: z.number() });
export type Receipt = z.infer<typeof Receipt>;

/** The array that an attempt was to be a task of. */
const Within = z.object({ array: z.string(), index: z.number() });
type Within = z.infer<typeof Within>;

/** How far the submission of an attempt has come, as its folder tells. */
export type Submitted =
  | { is: "new" }
  /** sbatch was called and no answer was noted: the job may exist. */
  | { is: "asked"; atMs: number; within: Within | undefined }
  /** `isClaimed`: a batch script has begun in the folder. The receipt is that of the job that has. */
  | { is: "accepted"; receipt: Receipt; isClaimed: boolean }
  | { is: "refused"; why: string }
  /** Cancelled before it was submitted: it never will be. */
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

// An attempt submitted twice, because no answer came, is the job that was the first to begin.
function withClaim(receipt: Receipt, claim: string | undefined): { receipt: Receipt; isClaimed: boolean } {
  const slurmId = claim?.trim() ?? "";
  const isIdAlike = /^\d+(_\d+)?$/.test(slurmId) && slurmId.includes("_") === receipt.slurmId.includes("_");
  return { receipt: isIdAlike ? { ...receipt, slurmId } : receipt, isClaimed: claim !== undefined };
}

export async function noteAsked(folder: string, within?: Within): Promise<void> {
  await writeWhole(join(folder, names.asked), within === undefined ? "" : JSON.stringify(within));
}

/** The answer to a call: a receipt, a refusal, or "not now", after which the attempt is as new. */
export async function noteAnswer(folder: string, answer: Receipt | { refused: string } | "later"): Promise<void> {
  if (answer === "later") return await rm(join(folder, names.asked), { force: true });
  if ("refused" in answer) return await writeWhole(join(folder, names.refused), `${answer.refused}\n`);
  await writeWhole(join(folder, names.receipt), `${JSON.stringify(answer)}\n`);
}

export async function preventStart(folder: string): Promise<void> {
  await writeWhole(join(folder, names.prevented), "");
  await noteOver(folder);
}

/** Whether a job that was asked to stop has never begun; from now on it never will. */
export async function wasPrevented(folder: string): Promise<boolean> {
  if ((await readCancelled(folder)) === undefined) return false;
  if (await exists(join(folder, "claim"))) return false;
  await noteOver(folder);
  return !(await exists(join(folder, "claim")));
}

/** From now on the batch script does nothing in this folder, should Slurm start it again. */
export async function noteOver(folder: string): Promise<void> {
  if (!(await exists(join(folder, "over")))) await writeWhole(join(folder, "over"), "");
}

/** When this attempt was first asked to stop; undefined while nobody did. */
export async function readCancelled(folder: string): Promise<number | undefined> {
  return (await stat(join(folder, "cancel")).catch(ignoreMissing))?.mtimeMs;
}

export async function noteCancelled(folder: string): Promise<void> {
  await writeWhole(join(folder, "cancel"), "");
}

/** What a batch script leaves: its machine as it begins, the rest at its end. */
export type Written = Pick<Traces, "exitCode" | "exitAgeMs" | "cause"> & { host: string | undefined };

/** Why it left, where the script could tell. */
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
