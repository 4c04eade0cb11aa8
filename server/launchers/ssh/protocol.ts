import { z } from "zod";
import { ExternalFile } from "#server/domain/external/templates/template.ts";
import { Processor } from "#server/domain/nodes/processor.ts";
import { Gpu } from "#trainer/spec/gpus.ts";
import { Machine } from "#trainer/spec/machine.ts";
import { RunSpec } from "#trainer/spec/run.ts";

/** How many bytes of which file we have, by its name in the job's folder. */
const Have = z.record(z.string(), z.int().min(0));

const where = {
  /** Where the node keeps the runs. */
  runsFolder: z.string(),
  leaseMs: z.number(),
};

/** What the agent on a node is asked, one request a call, on its standard input. */
export const AgentRequest = z.discriminatedUnion("do", [
  z.object({
    ...where,
    do: z.literal("poll"),
    jobs: z.array(z.object({ jobId: z.string(), have: Have })),
    /** Of all files together. */
    maxBytes: z.int(),
    wantsGpus: z.boolean(),
  }),
  z.object({
    ...where,
    do: z.literal("launch"),
    jobId: z.string(),
    spec: RunSpec,
    command: z.array(z.string()),
    environment: z.record(z.string(), z.string()),
    /** A program of another trainer, and what runs it; null: the built-in one. */
    external: z.object({ command: z.array(z.string()), file: ExternalFile }).nullable(),
  }),
  z.object({ ...where, do: z.literal("cancel"), jobId: z.string() }),
  z.object({
    ...where,
    do: z.literal("look"),
    /** The trainer's. */
    command: z.array(z.string()),
    environment: z.record(z.string(), z.string()),
  }),
]);
export type AgentRequest = z.infer<typeof AgentRequest>;

const EndedBy = {
  cause: z
    .enum(["timed_out", "preempted", "node_failed", "out_of_memory", "expired", "cancelled_outside", "submit_refused"])
    .exactOptional(),
  host: z.string().exactOptional(),
};
const JobState = z.discriminatedUnion("state", [
  z.object({ state: z.literal("submitted"), why: z.string().exactOptional() }),
  z.object({ state: z.literal("queued"), why: z.string(), isStuck: z.boolean() }),
  z.object({
    state: z.literal("running"),
    pid: z.int().exactOptional(),
    host: z.string().exactOptional(),
    text: z.string().exactOptional(),
  }),
  z.object({ state: z.literal("exited"), exitCode: z.int(), ...EndedBy }),
  z.object({ state: z.literal("lost"), evidence: z.string(), ...EndedBy }),
  z.object({ state: z.literal("unknown"), why: z.string() }),
]);

/** What follows the bytes we have of a file, and how long it is there. */
const Piece = z.object({ name: z.string(), fromByte: z.int(), base64: z.string(), sizeBytes: z.int() });
export type Piece = z.infer<typeof Piece>;

export const PolledJob = z.object({ jobId: z.string(), state: JobState, pieces: z.array(Piece) });
export type PolledJob = z.infer<typeof PolledJob>;

/** What it answers: one line on its standard output, after the mark. */
export const AgentAnswer = z.discriminatedUnion("did", [
  z.object({
    did: z.literal("poll"),
    jobs: z.array(PolledJob),
    gpus: z.array(Gpu).nullable().optional(),
    processor: Processor.optional(),
    disk: z.object({ freeBytes: z.number(), totalBytes: z.number() }).optional(),
  }),
  z.object({ did: z.literal("launch") }),
  z.object({ did: z.literal("cancel") }),
  z.object({ did: z.literal("look"), machine: Machine }),
  z.object({ did: z.literal("fail"), why: z.string() }),
]);
export type AgentAnswer = z.infer<typeof AgentAnswer>;

/** Whatever a login shell prints of its own comes before it. */
export const answerMark = "ARLARENA-ANSWER ";

/** Files that only grow: what we lack of them is brought at every poll. */
export const growingFiles = ["events.jsonl", "samples.jsonl", "stdout.log", "stderr.log"] as const;
