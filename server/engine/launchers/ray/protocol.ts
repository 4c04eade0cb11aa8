import { writeWhole } from "#server/config/writeWhole.ts";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ExternalFile } from "#packages/trainers";
import { RunSpec } from "#trainer/spec/run.ts";
import { ignoreMissing } from "#server/config/fileErrors.ts";
import { Sealed } from "./seal.ts";

/** Description of a job in the job's own package (`job.json`). Its paths are paths on the cluster. */
export const CourierJob = z.object({
  jobId: z.string(),
  folder: z.string(),
  spec: RunSpec,
  external: ExternalFile.nullable(),
  environment: z.record(z.string(), z.string()),
  setup: z.array(z.string()),
  /** Variables in encrypted form, which Ray's files and pages may show. The job's environment contains the key. */
  sealed: Sealed.nullable(),
  /** Number of the attempt whose checkpoints are in the package's folder `earlier`; null without such an attempt. */
  earlier: z.int().nullable(),
  /** Last iteration whose measurements have reached the studio, over all earlier attempts. */
  known: z.int().min(0),
});
export type CourierJob = z.infer<typeof CourierJob>;

/** Consecutive bytes of a file in the attempt's folder. Only logs may grow beyond `sizeBytes`. */
const FilePiece = z.object({
  n: z.int().min(0),
  name: z.string().regex(/^([\w-][\w.-]*\/)*[\w-][\w.-]*$/),
  fromByte: z.int().min(0),
  sizeBytes: z.int().min(0),
  base64: z.string(),
});
export type FilePiece = z.infer<typeof FilePiece>;

/** One line of the courier in the job's log, numbered from 0. The last line contains the trainer's exit code. */
export const CourierLine = z.union([FilePiece, z.object({ n: z.int().min(0), exit: z.int() })]);
export type CourierLine = z.infer<typeof CourierLine>;

/** Prefix that marks the courier's lines, because Ray and the job's programs write to the same log. */
export const lineMark = "ARLARENA ";

/** Exit code of a courier (program of a Ray job) that finds another job's files in its attempt folder. */
export const notOursCode = 213;

/** Maximum size of a copied file. Larger checkpoints and weights of other trainers stay on the cluster. */
export const maxBroughtBytes = 64 << 20;

export const Receipt = z.discriminatedUnion("is", [
  z.object({ is: z.literal("new") }),
  /** The request was sent to Ray and the response was not recorded: the job may exist. */
  z.object({ is: z.literal("asked") }),
  /** `session`: name of the Ray session that accepted the job. A restarted head has a new session. */
  z.object({ is: z.literal("accepted"), session: z.string(), cancelledAtMs: z.number().optional() }),
  z.object({ is: z.literal("refused"), why: z.string() }),
  /** The job was cancelled before submission and will never be submitted. */
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
