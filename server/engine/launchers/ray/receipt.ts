import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ignoreMissing } from "../processIdentity.ts";
import { writeWhole } from "../writeWhole.ts";

/** State of an attempt's submission, from its local folder. */
export const Receipt = z.discriminatedUnion("is", [
  z.object({ is: z.literal("new") }),
  /** Ray was asked and no answer was noted: the job may exist. */
  z.object({ is: z.literal("asked") }),
  /** `session`: session of the cluster that accepted it; a restarted head has another. */
  z.object({ is: z.literal("accepted"), session: z.string(), cancelledAtMs: z.number().optional() }),
  z.object({ is: z.literal("refused"), why: z.string() }),
  /** Cancelled before submission: it never will be submitted. */
  z.object({ is: z.literal("prevented") }),
]);
export type Receipt = z.infer<typeof Receipt>;

export async function readReceipt(folder: string): Promise<Receipt> {
  const text = await readFile(join(folder, "ray.json"), "utf8").catch(ignoreMissing);
  return text === undefined ? { is: "new" } : Receipt.parse(JSON.parse(text));
}

export async function writeReceipt(folder: string, receipt: Receipt): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeWhole(join(folder, "ray.json"), `${JSON.stringify(receipt)}\n`);
}
