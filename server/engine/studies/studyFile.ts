import { z } from "zod";
import { maxNoteCharacters, Tag } from "#server/domain/runs/marks.ts";
import { SearchRecord } from "#server/domain/plan/search/record.ts";
import { describeFuture, isFuture } from "#server/domain/trainers/import/keepStorable.ts";
import { overStatuses, runReasons } from "#server/domain/runs/runStatus.ts";

/** Schema of a time that is not in the future. */
const Moment = z.coerce.date().superRefine((time, context) => {
  if (isFuture(time.getTime())) context.addIssue({ code: "custom", message: describeFuture(time.getTime()) });
});

/** Schema of tags, note and other marks that users gave to a sweep or run; absent in older files. */
const marks = {
  tags: z.array(Tag).max(1000).exactOptional(),
  note: z.string().max(maxNoteCharacters).exactOptional(),
  isFavourite: z.boolean().exactOptional(),
  isArchived: z.boolean().exactOptional(),
};

const StudySweep = z.object({
  /** Id of the sweep. It becomes part of the names of run folders, so it must not contain a path separator. */
  id: z.string().regex(/^[A-Za-z0-9-]{1,200}$/, { error: "must be a sweep's id of letters, digits and -" }),
  name: z.string().max(200),
  description: z.string(),
  createdAt: Moment,
  plan: z.unknown(),
  planHash: z.string(),
  ...marks,
  baselineCell: z.int().min(0).nullish(),
  cells: z.array(
    z.object({
      index: z.int().min(0),
      method: z.string(),
      label: z.string(),
      spec: z.record(z.string(), z.unknown()),
      specHash: z.string(),
      startHash: z.string().nullable(),
    }),
  ),
  /** Decisions of the sweep's hyperparameter search; absent if it has none, and in older files. */
  search: SearchRecord.exactOptional(),
});

/**
 * First line of a recorded study, a file of JSON lines. Each finished run has a `RunLine` and each attempt an
 * `AttemptLine`. The lines of the attempt's log and its sample episodes follow: in files before December 2026, which
 * are compressed with gzip, as the trainer wrote them; otherwise in blocks of packed lines, compressed with brotli
 * after the bytes of `packedStart`. The last line is an `EndLine`, by which a truncated file is detected.
 */
export const StudyHead = z.object({
  type: z.literal("arlarena study"),
  v: z.literal(1),
  exportedAt: z.string(),
  sweeps: z.array(StudySweep).min(1),
  /** Further sweeps with only those runs from whose checkpoints the study's runs start; absent without such runs. */
  origins: z.array(StudySweep).exactOptional(),
  /** Queries and hashes of published tables that use only these sweeps, so that an importer can verify the numbers. */
  proofs: z.array(z.object({ hash: z.string(), query: z.record(z.string(), z.unknown()), code: z.string() })),
  /** Frozen reports that use only these sweeps, with their blocks' HTML by source; absent without reports. */
  reports: z
    .array(
      z.object({
        id: z.string().regex(/^[A-Za-z0-9-]{1,200}$/, { error: "must be a report's id of letters, digits and -" }),
        title: z.string().max(200),
        body: z.string(),
        frozenAt: Moment,
        frozen: z.record(z.string(), z.string()),
      }),
    )
    .exactOptional(),
});
export type StudyHead = z.infer<typeof StudyHead>;

/** First bytes of a file with packed lines. */
export const packedStart = "arlarena study 2\n";

export const PackedBlock = z.object({
  texts: z.array(z.array(z.string())),
  order: z.array(z.int()),
  columns: z.array(z.tuple([z.string(), z.union([z.array(z.union([z.number(), z.string()])), z.string()])])),
});

const time = Moment.nullable();

export const RunLine = z.object({
  type: z.literal("run"),
  sweepId: z.string(),
  cell: z.int().min(0),
  seed: z.int(),
  status: z.enum(overStatuses),
  reason: z.enum(runReasons).nullable(),
  ...marks,
  /** Time at which the seed was added to the launched sweep; absent for runs of the plan, and in older files. */
  addedAt: Moment.exactOptional(),
  startedAt: time,
  endedAt: time,
});
export type RunLine = z.infer<typeof RunLine>;

export const AttemptLine = z.object({
  type: z.literal("attempt"),
  number: z.int().min(1),
  node: z.string(),
  reason: z.string().nullable(),
  createdAt: Moment,
  endedAt: time,
  /** Log lines, the SHA-256 of their text with line ends, and lines of sample episodes. */
  logLines: z.int().min(0),
  logHash: z.string(),
  sampleLines: z.int().min(0),
});
export type AttemptLine = z.infer<typeof AttemptLine>;

export const EndLine = z.object({ type: z.literal("end"), runs: z.int().min(0) });
