import { z } from "zod";
import { ExternalFile } from "#server/domain/external/templates/template.ts";
import { RunSpec } from "#trainer/spec/run.ts";

/** What a job's own package says of it (`job.json`). Paths are the cluster's. */
export const CourierJob = z.object({
  jobId: z.string(),
  /** Where the cluster's machines keep what is ours. */
  folder: z.string(),
  spec: RunSpec,
  /** A program of another trainer; null: the built-in one. */
  external: ExternalFile.nullable(),
  environment: z.record(z.string(), z.string()),
  /** The attempt whose checkpoints lie in the package, in `earlier`. */
  earlier: z.int().nullable(),
  /** The last iteration whose measurements the studio has, of all earlier attempts. */
  known: z.int().min(0),
});
export type CourierJob = z.infer<typeof CourierJob>;

/** Bytes of a file of the attempt's folder. One that grows has more later; of any other `sizeBytes` is its length. */
const FilePiece = z.object({
  n: z.int().min(0),
  name: z.string().regex(/^([\w-][\w.-]*\/)*[\w-][\w.-]*$/),
  fromByte: z.int().min(0),
  sizeBytes: z.int().min(0),
  base64: z.string(),
});
export type FilePiece = z.infer<typeof FilePiece>;

/** A line of ours in the job's log, numbered from 0. The last one says with which code the trainer left. */
export const CourierLine = z.union([FilePiece, z.object({ n: z.int().min(0), exit: z.int() })]);
export type CourierLine = z.infer<typeof CourierLine>;

/** Ray and the programs of a job write to the log, too. */
export const lineMark = "ARLARENA ";

/** The courier's exit code where another job of the same attempt has its folder. */
export const notOursCode = 213;

/** What is brought of one file at most: checkpoints and weights of other trainers stay where they are. */
export const maxBroughtBytes = 64 << 20;
