import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeWhole } from "../files.ts";
import { type Cluster, largestArray } from "./cluster.ts";
import type { Ready } from "./prepare.ts";
import { arrayText } from "./sbatchText.ts";
import { readSubmission, type Submission } from "./submission.ts";
import * as receipt from "./receipt.ts";
import { withProblemNoted } from "./withProblemNoted.ts";

/** Part of a request that all tasks of an array must share. */
export function shapeOf({ request }: Ready): string {
  return JSON.stringify(request);
}

/** Submits several jobs as one array: one call, one entry for the controller, one task each. */
export async function submitGroup(cluster: Cluster, group: readonly Ready[]): Promise<void> {
  const { now, memory } = cluster;
  if (now() < memory.quietUntilMs) return;
  const submittedAtMs = now();
  const answer = await askFor(cluster, group);
  switch (answer.kind) {
    case "accepted":
      for (const [index, one] of group.entries()) {
        const slurmId = group.length > 1 ? `${answer.slurmId}_${index}` : answer.slurmId;
        await withProblemNoted(cluster, [one], () => receipt.noteAnswer(one.folder, { slurmId, submittedAtMs }));
      }
      memory.quietMs = 0;
      memory.heldAtMs.clear();
      memory.room = Math.min(largestArray, memory.room * 2);
      return;
    case "refused":
      for (const { folder } of group) await receipt.noteAnswer(folder, { refused: answer.why });
      return;
    case "noArray": {
      if (group.length === 1) return await holdBack(cluster, group, { ...answer, mayExist: false });
      const half = Math.ceil(group.length / 2);
      memory.ceiling = half;
      for (const { folder } of group) await receipt.noteAnswer(folder, "later");
      await submitGroup(cluster, group.slice(0, half));
      return await submitGroup(cluster, group.slice(half));
    }
    case "later":
      return await holdBack(cluster, group, answer);
  }
}

// The folders record the call before sbatch is called.
async function askFor(cluster: Cluster, group: readonly Ready[]): Promise<Submission> {
  const [first] = group;
  if (first === undefined) throw new Error("nothing to submit");
  const array = group.length > 1 ? `array-${randomUUID()}` : undefined;
  const script = array === undefined ? first.script : await writeArray(cluster, array, group);
  try {
    for (const [index, { folder }] of group.entries()) {
      await receipt.noteAsked(folder, array === undefined ? undefined : { array, index });
    }
  } catch (error) {
    for (const { folder } of group) await receipt.noteAnswer(folder, "later").catch(() => undefined);
    throw error;
  }
  const answer = readSubmission(await cluster.ask("sbatch", ["--parsable", script]));
  // Slurm has its own copy.
  if (array !== undefined) await rm(script, { force: true });
  return answer;
}

const maxQuietMs = 120_000;

type NotNow = { why: string; mayExist: boolean };

// Back-pressure applies to every submission; a smaller array may be accepted.
async function holdBack(cluster: Cluster, group: readonly Ready[], { why, mayExist }: NotNow): Promise<void> {
  const { memory, now } = cluster;
  memory.room = Math.max(1, Math.floor(group.length / 2));
  memory.quietMs = Math.min(Math.max(10_000, memory.quietMs * 2), maxQuietMs);
  memory.quietUntilMs = now() + memory.quietMs;
  for (const one of group) {
    memory.heldAtMs.set(shapeOf(one), now());
    memory.waiting.set(one.jobId, `not submitted yet: ${why}`);
    if (!mayExist) await receipt.noteAnswer(one.folder, "later");
  }
}

async function writeArray({ node }: Cluster, array: string, group: readonly Ready[]): Promise<string> {
  const folder = join(node.folder, "arrays");
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${array}.sbatch`);
  const [first] = group;
  if (first) await writeWhole(path, arrayText(array, group, first.request));
  return path;
}
