import { z } from "zod";

/**
 * One line of a run's log. The log is the truth: everything else the product shows is computed from it.
 * JSON has no NaN or infinities, and in this field they are the event itself: they are written as texts.
 */
export const MetricValue = z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"])]);
export type MetricValue = z.infer<typeof MetricValue>;

const line = {
  v: z.literal(1),
  /** 0, 1, 2, … within one attempt: a gap or a repetition shows that a line was lost or written twice. */
  seq: z.int().min(0),
  /** Unix time in milliseconds. */
  atMs: z.number(),
};

export const StartedEvent = z.object({
  ...line,
  type: z.literal("started"),
  specHash: z.string(),
  /** Content hash of the trainer's code, or "source" when it runs unbundled. */
  code: z.string(),
  host: z.string(),
  pid: z.int(),
  numParameters: z.int(),
  vocabularySize: z.int(),
  /** The first iteration this attempt will log: 1, or the one after the checkpoint it resumed from. */
  firstIteration: z.int(),
  /** The last one that another trainer was asked for, where it counts other steps than the budget's iterations. */
  lastIteration: z.int().optional(),
});

export const MetricsEvent = z.object({
  ...line,
  type: z.literal("metrics"),
  /** The x-axis: 0 is the state before reinforcement learning. What `countsEpochs` counts cloning epochs instead. */
  iteration: z.int().min(0),
  /** Updates of the policy so far. */
  optimizerStep: z.int().min(0),
  values: z.record(z.string(), MetricValue),
  /** Of another trainer's metrics, once for each: that trainer's name of what is logged here under the catalogue's. */
  originals: z.record(z.string(), z.string()).optional(),
});

export const NoteEvent = z.object({
  ...line,
  type: z.literal("note"),
  level: z.enum(["info", "warning", "error"]),
  /** "reading": how another trainer's log was read, and what of it was not. */
  about: z.literal("reading").optional(),
  text: z.string(),
});

export const DoneEvent = z.object({
  ...line,
  type: z.literal("done"),
  exit: z.enum(["completed", "diverged", "interrupted", "disk_full", "failed"]),
  reason: z.string(),
  /** Lines of type `metrics` that this attempt wrote: the reader compares counts. */
  numMetricLines: z.int(),
});

export const RunEvent = z.discriminatedUnion("type", [StartedEvent, MetricsEvent, NoteEvent, DoneEvent]);
export type RunEvent = z.infer<typeof RunEvent>;
export type MetricsEvent = z.infer<typeof MetricsEvent>;

/** Whether a metric is of the initialisation, whose x-axis is the cloning epoch instead of the iteration. */
export function countsEpochs(key: string): boolean {
  return key.startsWith("clone/") || key.startsWith("rejection/");
}

/** What the trainer's process returns; the last two as in BSD's sysexits.h: an error of input or output, and "try again". */
export const exitCodes = { completed: 0, failed: 1, usage: 2, diverged: 3, disk_full: 74, interrupted: 75 } as const;

export function toMetricValue(x: number): MetricValue {
  if (Number.isFinite(x)) return x;
  if (Number.isNaN(x)) return "NaN";
  return x > 0 ? "Infinity" : "-Infinity";
}

export function fromMetricValue(value: MetricValue): number {
  return Number(value);
}
