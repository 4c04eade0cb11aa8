import { z } from "zod";
import { groupFiles } from "#trainer/spec/keptGroup.ts";
import { ExternalFile } from "#packages/trainers";
import { Processor } from "#server/domain/fleet/nodes/machine.ts";
import { StoredPolicy } from "#trainer/spec/elsewhere.ts";
import { Gpu } from "#trainer/spec/gpus.ts";
import { Machine } from "#trainer/spec/machine.ts";
import { RunSpec } from "#trainer/spec/run.ts";

/** Number of bytes of each file already on this machine, by the file's name in the job's folder. */
const Have = z.record(z.string(), z.int().min(0));

const where = {
  runsFolder: z.string(),
  leaseMs: z.number(),
};

/** Request to the agent, a program on an ssh node that reads one request per call from its standard input. */
export const AgentRequest = z.discriminatedUnion("do", [
  z.object({
    ...where,
    do: z.literal("poll"),
    jobs: z.array(z.object({ jobId: z.string(), have: Have })),
    /** Maximum total number of bytes of all files in one response. */
    maxBytes: z.int(),
    wantsGpus: z.boolean(),
  }),
  z.object({
    ...where,
    do: z.literal("launch"),
    jobId: z.string(),
    spec: RunSpec,
    evaluates: StoredPolicy.optional(),
    command: z.array(z.string()),
    environment: z.record(z.string(), z.string()),
    setup: z.array(z.string()),
    /** External trainer's program, and the command of the adapter that runs it; null for the built-in trainer. */
    external: z.object({ command: z.array(z.string()), file: ExternalFile }).nullable(),
  }),
  z.object({ ...where, do: z.literal("cancel"), jobId: z.string() }),
  z.object({
    ...where,
    do: z.literal("look"),
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

/** New bytes of a file, starting at `fromByte`, and the file's length on the ssh node. */
const Piece = z.object({ name: z.string(), fromByte: z.int(), base64: z.string(), sizeBytes: z.int() });
export type Piece = z.infer<typeof Piece>;

export const PolledJob = z.object({ jobId: z.string(), state: JobState, pieces: z.array(Piece) });
export type PolledJob = z.infer<typeof PolledJob>;

/** Response of the agent on an ssh node: one line on its standard output, after `answerMark`. */
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

/** Prefix of the agent's response line, because a login shell may print text of its own first. */
export const answerMark = "ARLARENA-ANSWER ";

/** Names of a job's append-only files. Their new bytes are copied to this machine at every poll. */
export const growingFiles = [
  "events.jsonl",
  "samples.jsonl",
  groupFiles.index,
  groupFiles.tokens,
  "stdout.log",
  "stderr.log",
] as const;
