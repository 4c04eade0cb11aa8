import { z } from "zod";
import { tracePattern } from "./trace.ts";

/** Schema of a metric's value in a log. NaN and infinities are strings, because JSON has none. */
export const MetricValue = z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"])]);
export type MetricValue = z.infer<typeof MetricValue>;

const line = {
  v: z.literal(1),
  /** Line number 0, 1, 2, … within one attempt. A gap or a repetition reveals a lost or duplicated line. */
  seq: z.int().min(0),
  /** Unix time in milliseconds. */
  atMs: z.number(),
};

/** Schema of the pretrained model from which a run starts. */
export const ModelOrigin = z.object({
  /** Name in the specification: a folder, or a model of the Hugging Face hub. */
  name: z.string(),
  /** Commit of the hub's model when the run started; absent for a folder. */
  commit: z.string().optional(),
  /** Hash of all files of the model: `sha256sum` of the sorted output lines of `sha256sum` over the files. */
  sha256: z.string(),
});
export type ModelOrigin = z.infer<typeof ModelOrigin>;

export const StartedEvent = z.object({
  ...line,
  type: z.literal("started"),
  specHash: z.string(),
  /** Content hash of the trainer's bundled code, or "source" if the trainer runs unbundled. */
  code: z.string(),
  host: z.string(),
  pid: z.int(),
  numParameters: z.int(),
  vocabularySize: z.int(),
  /** First iteration that this attempt of the run logs: 1, or the iteration after the state that it continues. */
  firstIteration: z.int(),
  /** Last iteration requested from an external trainer, if its iterations are not those of the budget. */
  lastIteration: z.int().optional(),
  model: ModelOrigin.optional(),
  /** Run from which this run started, with its whole training state (branch) or only its policy (start). */
  origin: z
    .object({
      run: z.string(),
      iteration: z.int(),
      kind: z.enum(["branch", "start"]),
      /** Number of a branch's continuation: 0 continues the origin's random streams, any other has new streams. */
      continuation: z.int().optional(),
    })
    .optional(),
});

export const MetricsEvent = z.object({
  ...line,
  type: z.literal("metrics"),
  /** Iteration, the x-axis of charts; 0 is before reinforcement learning. In initialisation, it is the epoch. */
  iteration: z.int().min(0),
  /** Number of optimizer steps so far. */
  optimizerStep: z.int().min(0),
  values: z.record(z.string(), MetricValue),
  /** Names under which an external trainer logs these metrics, by the studio's name. Each name is logged once. */
  originals: z.record(z.string(), z.string()).optional(),
});

export const NoteEvent = z.object({
  ...line,
  type: z.literal("note"),
  level: z.enum(["info", "warning", "error"]),
  /**
   * "reading": the message says how an external trainer's log was read, and which parts were not understood.
   * "missingMetric": the program did not log a metric that the plan names.
   */
  about: z.enum(["reading", "missingMetric"]).optional(),
  text: z.string(),
});

/** Schema of a line about changed training data. Later metric values are not compared with earlier ones. */
export const ChangeEvent = z.object({
  ...line,
  type: z.literal("event"),
  event: z.literal("data"),
  /** First iteration after the change. */
  iteration: z
    .int()
    .min(0)
    .max(2 ** 31 - 1),
  text: z.string().default(""),
});

/** Schema of the actions in all episodes of one evaluation, in one environment. */
export const TracesEvent = z.object({
  ...line,
  type: z.literal("traces"),
  iteration: z
    .int()
    .min(0)
    .max(2 ** 31 - 1),
  /** Id of the environment, which gives the letters their meaning. */
  environment: z.string().max(100),
  /** Component of a mixture, or phase of a curriculum. */
  part: z.string().max(200).optional(),
  /** True for tasks of kinds that never occur in training. */
  unseen: z.literal(true).optional(),
  /** For each task its seed, and the traces of its episodes. */
  tasks: z.array(z.tuple([z.int()], z.string().max(10_000).regex(tracePattern))).max(10_000),
});
export type TracesEvent = z.infer<typeof TracesEvent>;

export const DoneEvent = z.object({
  ...line,
  type: z.literal("done"),
  exit: z.enum(["completed", "diverged", "interrupted", "disk_full", "failed"]),
  reason: z.string(),
  /** Number of metric lines that this attempt wrote, with which a reader checks that none is missing. */
  numMetricLines: z.int(),
});

export const RunEvent = z.discriminatedUnion("type", [
  StartedEvent,
  MetricsEvent,
  NoteEvent,
  ChangeEvent,
  TracesEvent,
  DoneEvent,
]);
export type RunEvent = z.infer<typeof RunEvent>;
export type MetricsEvent = z.infer<typeof MetricsEvent>;

/** Parses a log line as `RunEvent.safeParse` does, but four times as fast for metrics, which are nearly all lines. */
export function readRunEvent(line: unknown): ReturnType<typeof RunEvent.safeParse> {
  return isPlainMetrics(line) ? { success: true, data: line } : RunEvent.safeParse(line);
}

const metricsKeys = new Set(Object.keys(MetricsEvent.shape));

/** True for a valid metrics line without unknown keys. zod parses others, strips keys and reports errors. */
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

/** Exit code for each way in which a run ends. The last two are EX_IOERR and EX_TEMPFAIL of sysexits.h. */
export const exitCodes = { completed: 0, failed: 1, usage: 2, diverged: 3, disk_full: 74, interrupted: 75 } as const;

export function toMetricValue(x: number): MetricValue {
  if (Number.isFinite(x)) return x;
  if (Number.isNaN(x)) return "NaN";
  return x > 0 ? "Infinity" : "-Infinity";
}

export function fromMetricValue(value: MetricValue): number {
  return Number(value);
}
