import { z } from "zod";
import { trackedStatuses } from "./store.ts";

// Protobuf's JSON writes 64-bit integers as texts and numbers that are not finite as words; both forms are read.
const Int = z.preprocess((value) => (typeof value === "string" && value !== "" ? Number(value) : value), z.int());
const Double = z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"]).transform(Number)]);

const Key = z.string().min(1).max(250);
const Pair = z.object({ key: Key, value: z.string().max(8000).default("") });
const Metric = z
  .object({ key: Key, value: Double, timestamp: Int, step: Int.optional() })
  .transform(({ key, value, timestamp, step = 0 }) => ({ key, value, timestampMs: timestamp, step }))
  .refine(({ step }) => step >= 0, { error: "a step below 0 has no place on a curve" });
/** `run_uuid` is what `run_id` was called before; clients still send both. */
const OfRun = z
  .object({ run_id: z.string().optional(), run_uuid: z.string().optional() })
  .transform(({ run_id, run_uuid }) => run_id || run_uuid || "")
  .refine((id) => id !== "", { error: "run_id is missing" });
const optionalText = z
  .string()
  .nullish()
  .transform((text) => text || undefined);

/** Bodies (POST) and queries (GET) of the tracking protocol, as far as they are read here. */
export const messages = {
  ofRun: OfRun,
  experimentByName: z.object({ experiment_name: z.string().min(1) }),
  experimentById: z.object({ experiment_id: z.string().min(1) }),
  createExperiment: z.object({ name: z.string().trim().min(1).max(100) }),
  createRun: z.object({
    experiment_id: z.string().min(1),
    run_name: optionalText,
    start_time: Int.nullish(),
    tags: z.array(Pair).default([]),
  }),
  updateRun: z.object({
    status: z
      .union([z.enum(trackedStatuses), z.int().min(1).max(5)])
      .nullish()
      // Protobuf's numbers count from 1, in this order.
      .transform((status) => {
        const byNumber = ["RUNNING", "SCHEDULED", "FINISHED", "FAILED", "KILLED"] as const;
        return typeof status === "number" ? byNumber[status - 1] : (status ?? undefined);
      }),
    end_time: Int.nullish(),
    run_name: optionalText,
  }),
  metric: Metric,
  pair: Pair,
  batch: z.object({
    metrics: z.array(Metric).max(1000).default([]),
    params: z.array(Pair).max(1000).default([]),
    tags: z.array(Pair).max(1000).default([]),
  }),
  search: z.object({
    experiment_ids: z.array(z.string()).default([]),
    filter: z.string().default(""),
    max_results: Int.default(1000),
    page_token: optionalText,
  }),
  history: z.object({ metric_key: z.string().min(1) }),
};
