import { z } from "zod";
import { AppError } from "#packages/base";
import { parseJson } from "#packages/trainers";
import { describeFuture, isFuture, maxStep, maxTimeMs } from "../import/keepStorable.ts";
import { trackedStatuses } from "./store.ts";

// Numbers in Protobuf's JSON: 64-bit integers are strings, and non-finite numbers words. Plain numbers are accepted
// as well.
const Int = z.preprocess((value) => (typeof value === "string" && value !== "" ? Number(value) : value), z.int());
const Double = z.union([
  z.number(),
  z.enum(["NaN", "Infinity", "-Infinity"]).transform(Number),
  // Python's JSON writes non-finite numbers without quotes.
  z.custom<number>((value) => typeof value === "number", { error: "expected a number" }),
]);

/** Maximum size of a request body in bytes. A batch of 1,000 metrics with the longest names has 0.4 MB. */
export const maxMessageBytes = 16 * 1024 * 1024;

/** Parses a JSON body that may contain Python's NaN and Infinity. Throws `bad_input` for invalid JSON. */
export function parseMessage(text: string): unknown {
  const value = parseJson(text);
  if (value === undefined) throw new AppError("bad_input", "the message is not valid JSON");
  return value;
}

const Name = z.string().refine((text) => !text.includes("\0"), { error: "a name must not contain a NUL character" });
const Key = Name.min(1).max(250);
const Pair = z.object({ key: Key, value: z.string().max(8000).default("") });
const Step = Int.refine((step) => step >= 0, { error: "the step must be at least 0" }).refine(
  (step) => step <= maxStep,
  { error: `the step must be at most ${maxStep}` },
);
const Time = Int.refine((time) => Math.abs(time) <= maxTimeMs, {
  error: `the time in milliseconds must be at most ${maxTimeMs}`,
});
/** Start or end of a run. A metric's time may be wrong: its value is kept. */
const Moment = Time.superRefine((time, context) => {
  if (Math.abs(time) <= maxTimeMs && isFuture(time))
    context.addIssue({ code: "custom", message: describeFuture(time) });
});
const Metric = z
  .object({ key: Key, value: Double, timestamp: Time, step: Step.default(0) })
  .transform(({ key, value, timestamp, step }) => ({ key, value, timestampMs: timestamp, step }));
/** Id of a run. Clients send both `run_id` and `run_uuid`, its old name. */
const OfRun = z
  .object({ run_id: z.string().optional(), run_uuid: z.string().optional() })
  .transform(({ run_id, run_uuid }) => run_id || run_uuid || "")
  .refine((id) => id !== "", { error: "run_id is missing" });
const optionalText = z
  .string()
  .nullish()
  .transform((text) => text || undefined);
const ExperimentName = Name.trim().min(1).max(100);

const views = ["ACTIVE_ONLY", "DELETED_ONLY", "ALL"] as const;
const View = z
  .union([z.enum(views), z.int().min(1).max(3)])
  .nullish()
  // A number is the value of the Protobuf enum, which counts the views from 1 in this order.
  .transform((view) => (typeof view === "number" ? (views[view - 1] ?? "ACTIVE_ONLY") : (view ?? "ACTIVE_ONLY")));
export type View = z.output<typeof View>;

const page = {
  max_results: Int.pipe(z.int().min(1).max(50_000)).nullish(),
  page_token: z
    .string()
    .nullish()
    .transform((token) => token || "0")
    .refine((token) => /^\d{1,9}$/.test(token), { error: "the page token is invalid" })
    .transform(Number),
};
const search = { ...page, filter: z.string().default(""), order_by: z.array(z.string()).max(100).default([]) };

const Dataset = z.object({
  tags: z.array(Pair).max(100).default([]),
  dataset: z.object({
    name: z.string().min(1).max(500),
    digest: z.string().min(1).max(36),
    source_type: z.string().default(""),
    source: z.string().max(65_535).default(""),
    schema: z.string().max(1_048_575).optional(),
    profile: z.string().max(16_777_215).optional(),
  }),
});

/** Schemas of bodies (POST) and queries (GET) of the tracking protocol, limited to the fields that the studio uses. */
export const messages = {
  ofRun: OfRun,
  experimentByName: z.object({ experiment_name: z.string().min(1) }),
  experimentById: z.object({ experiment_id: z.string().min(1) }),
  createExperiment: z.object({
    name: ExperimentName,
    tags: z.array(Pair).max(100).default([]),
    artifact_location: optionalText.refine((location) => location === undefined, {
      error: "the studio stores artifacts in its own folder: omit artifact_location",
    }),
  }),
  renameExperiment: z.object({ experiment_id: z.string().min(1), new_name: ExperimentName }),
  createRun: z.object({
    experiment_id: z.string().min(1).default("0"),
    run_name: optionalText,
    start_time: Moment.nullish(),
    tags: z.array(Pair).default([]),
  }),
  updateRun: z.object({
    status: z
      .union([z.enum(trackedStatuses), z.int().min(1).max(5)])
      .nullish()
      .transform((status) => {
        const byNumber = ["RUNNING", "SCHEDULED", "FINISHED", "FAILED", "KILLED"] as const;
        return typeof status === "number" ? byNumber[status - 1] : (status ?? undefined);
      }),
    end_time: Moment.nullish(),
    run_name: optionalText,
  }),
  metric: Metric,
  pair: Pair,
  tagName: z.object({ key: Key }),
  batch: z.object({
    metrics: z.array(Metric).max(1000).default([]),
    params: z.array(Pair).max(1000).default([]),
    tags: z.array(Pair).max(1000).default([]),
  }),
  inputs: z.object({
    datasets: z.array(Dataset).max(100).default([]),
    models: z.array(z.unknown()).max(0, { error: "the studio stores data sets as inputs, but not models" }).default([]),
  }),
  searchRuns: z.object({ ...search, experiment_ids: z.array(z.string()).default([]), run_view_type: View }),
  searchExperiments: z.object({ ...search, view_type: View }),
  history: z.object({ metric_key: z.string().min(1), ...page }),
  listArtifacts: z.object({ path: z.string().default("") }),
};
