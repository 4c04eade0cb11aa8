import { z } from "zod";
import { SecretName } from "#trainer/spec/secretName.ts";
import { readWords } from "#packages/base";
import { consoleKinds } from "../logs/consoles/consoles.ts";
import { refuseWrittenSecrets } from "./writtenSecrets.ts";

/** An option of an external trainer's template that a sweep may set, with its default. */
const Option = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("number"), default: z.number().optional() }),
  z.strictObject({ type: z.literal("text"), default: z.string().optional() }),
  z.strictObject({ type: z.literal("flag"), default: z.boolean().optional() }),
  z.strictObject({ type: z.literal("choice"), of: z.array(z.string()).min(1), default: z.string().optional() }),
]);
export type Option = z.infer<typeof Option>;

/**
 * Source of an external trainer's measurements: lines on its console, or a file that it writes (`file`, a path with
 * placeholders). Measurements that the program sends to the MLflow address in its environment variables are always
 * read.
 */
export const MetricsSource = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("jsonLines"), file: z.string().optional() }),
  z.strictObject({ kind: z.literal("verlConsole") }),
  z.strictObject({ kind: z.literal("verlFile"), file: z.string() }),
  z.strictObject({ kind: z.literal("trlPrinted") }),
  z.strictObject({ kind: z.literal("trlState"), file: z.string() }),
  z.strictObject({ kind: z.literal("mlflow") }),
  z.strictObject({ kind: z.enum(consoleKinds) }),
]);
export type MetricsSource = z.infer<typeof MetricsSource>;

/** An argument, or a group of arguments that is omitted if a placeholder in it cannot be resolved. */
const Argument = z.union([z.string(), z.number().transform(String), z.array(z.string()).min(1)]);

/** A command line that starts Python: a program, or a launcher with its options, such as `uv run python3`. */
const Python = z
  .string()
  .refine((line) => (readWords(line) ?? []).length > 0, "must be a command line whose quotes are closed")
  .default("python3");

const common = {
  title: z.string().max(100).optional(),
  /** Environment variables of the program, with placeholders. The program inherits almost no variables. */
  environment: z.record(z.string(), z.string()).default({}),
  /** Names of secret variables, whose values only the orchestrator reads, and which no page shows. */
  secrets: z.array(SecretName).max(50).default([]),
  /** Working directory. Default: the attempt's folder. */
  folder: z.string().optional(),
  /** Folder in which a plan's tasks may name data and reward functions. Absent: plans may not name any. */
  taskFolder: z.string().optional(),
};

/** Number of GPUs of one machine that a run uses, if the template's other settings do not determine it. */
const gpus = z.int().min(1).max(1024).optional();

const Command = z.strictObject({
  ...common,
  gpus,
  kind: z.literal("command"),
  /** Program and its arguments, executed without a shell. */
  command: z.array(Argument).min(1),
  options: z.record(z.string(), Option).default({}),
  metrics: MetricsSource.default({ kind: "jsonLines" }),
});

/** Template of verl or a fork: release, models, data, and the machine sizes that published scripts fix. */
const Verl = z.strictObject({
  ...common,
  kind: z.literal("verl"),
  flavour: z.enum(["arlarena", "verlAgent", "verl"]).default("arlarena"),
  /** Release as printed by `pip show verl`. Commands differ between releases. */
  version: z.string().max(40).optional(),
  /** Recipe of ARLArena without an environment in the studio. Default: that of the plan's environment. */
  recipe: z.enum(["search"]).optional(),
  /** Agent loop (verl's class that plays an episode) with which verl's own trainer samples episodes. */
  agentLoop: z.string().default("tool_agent"),
  python: Python,
  /** Model name for each environment; `default` is used for all other environments. */
  models: z.record(z.string(), z.string()).default({}),
  /** Folder with train.parquet and test.parquet; if absent, attempts write them with ARLArena's command. */
  dataFolder: z.string().optional(),
  gpus: z.int().min(1).max(1024).default(4),
  machines: z.int().min(1).max(1024).default(1),
  /** Number of GPUs that share one copy of the sampler's model, for verl's own trainer and verl-agent. */
  tensorParallel: z.int().min(1).max(1024).default(1),
  /** Maximum prompt length of verl's own trainer in tokens; longer prompts are dropped. */
  promptTokens: z.int().min(1).max(1_000_000).default(1024),
  /** Number of checkpoints per run that verl's own trainer keeps. */
  keptCheckpoints: z.int().min(1).max(1000).default(2),
  logger: z.array(z.enum(["console", "wandb", "mlflow", "tensorboard", "swanlab"])).default(["console"]),
  project: z.string().default("arlarena"),
  /** Hydra overrides, appended last so that they take precedence. */
  overrides: z.array(z.string()).default([]),
});
export type VerlTemplate = z.infer<typeof Verl>;

const Trl = z.strictObject({
  ...common,
  kind: z.literal("trl"),
  python: Python,
  /** A script that reads TRL's GRPOConfig from its arguments. */
  script: z.string(),
  arguments: z.array(z.string()).default([]),
  /** Number of data-parallel processes that the script or its launcher starts. */
  processes: z.int().min(1).max(1024).default(1),
  /** Option of the script that names the model, such as `--model_name_or_path`. */
  modelArgument: z
    .string()
    .regex(/^--[A-Za-z][\w-]*$/, "an argument as --model_name_or_path")
    .optional(),
  /** Number of batch rows per process in a micro-batch. Default: the largest divisor up to 8. */
  rowsPerDevice: z.int().min(1).max(65_536).optional(),
});

const Areal = z.strictObject({
  ...common,
  gpus,
  kind: z.literal("areal"),
  python: Python,
  /** Script that reads AReaL's configuration from its arguments and defines the episodes. */
  script: z.string().default("examples/math/gsm8k_rl.py"),
  /** AReaL's configuration file with models, machines and data. */
  config: z.string().default("examples/math/gsm8k_grpo.yaml"),
  /** True if the configuration file has a critic, which an override cannot add. */
  critic: z.boolean().default(false),
  /** Overrides `key=value`, appended last so that they take precedence. */
  overrides: z.array(z.string()).default([]),
});

const PrimeRl = z.strictObject({
  ...common,
  gpus,
  kind: z.literal("primeRl"),
  /** Command that starts prime-rl's program `rl`. */
  command: z.array(z.string()).min(1).default(["uv", "run", "rl"]),
  /** prime-rl's configuration file with models, machines and environments. */
  config: z.string(),
  /** True if the configuration file has evaluations, which an argument cannot add. */
  evaluation: z.boolean().default(false),
  /** Arguments `--name value`, appended last so that they take precedence. */
  arguments: z.array(z.string()).default([]),
});

export const TrainerTemplate = z.discriminatedUnion("kind", [Command, Verl, Trl, Areal, PrimeRl]);
export type TrainerTemplate = z.infer<typeof TrainerTemplate>;
export type CommandTemplate = z.infer<typeof Command>;

/** Returns the number of GPUs of one machine that each run of the template reserves; undefined if it is not stated. */
export function gpusOf(template: TrainerTemplate): number | undefined {
  return template.kind === "trl" ? template.processes : template.gpus;
}

export const TrainersFile = z
  .strictObject({ trainers: z.record(z.string().regex(/^[A-Za-z0-9_-]{1,60}$/), TrainerTemplate) })
  .superRefine(refuseWrittenSecrets);

/** Checkpoint of another run, found on the trainer's machine, from which a run continues or starts. */
export const Beginning = z.strictObject({
  kind: z.enum(["branch", "start"]),
  run: z.string(),
  /** Iteration of the checkpoint, counted as in the charts of `run`. */
  iteration: z.int(),
  /** Number of a branch's continuation: 0 keeps the origin's random draws, as far as they are stored. */
  continuation: z.int().optional(),
  /** Path in the trainer's command: the checkpoint of a branch, or the model from which a run starts. */
  path: z.string(),
  /** Python command that rewrites the checkpoint if the command changes settings that it contains. */
  python: z.array(z.string()).min(1),
});
export type Beginning = z.infer<typeof Beginning>;

/** A template filled in for one attempt: everything needed to start the program and read its measurements. */
export const ExternalJob = z.strictObject({
  name: z.string(),
  argv: z.array(z.string()).min(1),
  /** Command that prepares the attempt's data; it must end before the program starts. */
  prepare: z.array(z.string()).min(1).optional(),
  environment: z.record(z.string(), z.string()),
  folder: z.string(),
  /** Names of further environment variables of the program; their values are in no file of the attempt. */
  secrets: z.array(SecretName).optional(),
  gpus: z.int().optional(),
  metrics: MetricsSource,
  release: z.string().optional(),
  /** The command is for these releases of verl: the job reads the one that the program's Python has. */
  suits: z.strictObject({ python: z.array(z.string()).min(1), releases: z.array(z.string()) }).optional(),
  begins: Beginning.optional(),
  /** Metrics that this command sums over a batch row's tokens, stored as `NAME_sum`, not as means per token. */
  summed: z.array(z.string()).optional(),
  /** Maps the trainer's metric names to the studio's, if the plan's custom task names them. */
  names: z.record(z.string(), z.string()).optional(),
  /** Arguments, appended if the program's Python has the module, that send measurements; otherwise a note. */
  reporting: z
    .strictObject({
      python: z.array(z.string()).min(1),
      module: z.string(),
      arguments: z.array(z.string()),
      without: z.string(),
    })
    .optional(),
  /** Notes on settings that the program does not receive, or that it handles differently. */
  notes: z.array(z.string()),
});
export type ExternalJob = z.infer<typeof ExternalJob>;

/** Content of a file in an attempt's folder: the program to start, or the reason why none could be made. */
export const ExternalFile = z.union([ExternalJob, z.strictObject({ problem: z.string() })]);
export type ExternalFile = z.infer<typeof ExternalFile>;
