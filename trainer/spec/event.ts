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

/** The pretrained model that a run starts from. */
export const ModelOrigin = z.object({
  /** As the specification names it: a folder, or a model of a hub. */
  name: z.string(),
  /** Of a hub's model: what its revision was at the start. */
  commit: z.string().optional(),
  /** Of all its files: what `sha256sum` prints of the lines that `sha256sum` prints of them, sorted by name. */
  sha256: z.string(),
});
export type ModelOrigin = z.infer<typeof ModelOrigin>;

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
  model: ModelOrigin.optional(),
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

/** A change from outside, as of other data: what follows is not compared with what was before. */
export const ChangeEvent = z.object({
  ...line,
  type: z.literal("event"),
  event: z.literal("data"),
  /** The first iteration under it. */
  iteration: z
    .int()
    .min(0)
    .max(2 ** 31 - 1),
  text: z.string().default(""),
});

export const DoneEvent = z.object({
  ...line,
  type: z.literal("done"),
  exit: z.enum(["completed", "diverged", "interrupted", "disk_full", "failed"]),
  reason: z.string(),
  /** Lines of type `metrics` that this attempt wrote: the reader compares counts. */
  numMetricLines: z.int(),
});

export const RunEvent = z.discriminatedUnion("type", [StartedEvent, MetricsEvent, NoteEvent, ChangeEvent, DoneEvent]);
export type RunEvent = z.infer<typeof RunEvent>;
export type MetricsEvent = z.infer<typeof MetricsEvent>;

/** A line out of JSON as `RunEvent.safeParse` reads it, and for lines of metrics, which nearly all are, four times as fast. */
export function readRunEvent(line: unknown): ReturnType<typeof RunEvent.safeParse> {
  return isPlainMetrics(line) ? { success: true, data: line } : RunEvent.safeParse(line);
}

const metricsKeys = new Set(Object.keys(MetricsEvent.shape));

/** Whether it is a MetricsEvent, with nothing that zod would leave out; what is not goes to zod, which says why. */
function isPlainMetrics(line: unknown): line is MetricsEvent {
  if (typeof line !== "object" || line === null || !("type" in line && line.type === "metrics")) return false;
  if (!("v" in line && line.v === 1) || !("seq" in line && isCount(line.seq))) return false;
  if (!("atMs" in line && Number.isFinite(line.atMs))) return false;
  if (!("iteration" in line && isCount(line.iteration))) return false;
  if (!("optimizerStep" in line && isCount(line.optimizerStep))) return false;
  for (const key in line) if (!metricsKeys.has(key)) return false;
  return !("originals" in line) && "values" in line && isPlainValues(line.values);
}

function isCount(x: unknown): boolean {
  return typeof x === "number" && Number.isSafeInteger(x) && x >= 0;
}

function isPlainValues(values: unknown): boolean {
  if (typeof values !== "object" || values === null || Array.isArray(values)) return false;
  if (Object.hasOwn(values, "__proto__")) return false;
  const all: unknown[] = Object.values(values);
  for (const value of all) {
    if (typeof value === "number" ? !Number.isFinite(value) : !isNonFiniteText(value)) return false;
  }
  return true;
}

function isNonFiniteText(value: unknown): boolean {
  return value === "NaN" || value === "Infinity" || value === "-Infinity";
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
