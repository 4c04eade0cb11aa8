import { z } from "zod";
import { SecretName } from "#trainer/spec/secretName.ts";
import { readWords } from "#server/domain/quoteArgument.ts";
import { consoleKinds } from "../consoles/consoles.ts";

/** A value that a sweep may give a template, with what it is when none does. */
const Option = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("number"), default: z.number().optional() }),
  z.strictObject({ type: z.literal("text"), default: z.string().optional() }),
  z.strictObject({ type: z.literal("flag"), default: z.boolean().optional() }),
  z.strictObject({ type: z.literal("choice"), of: z.array(z.string()).min(1), default: z.string().optional() }),
]);
export type Option = z.infer<typeof Option>;

/**
 * Where an external trainer's measurements are read: lines it prints, or a file it writes (a path with placeholders).
 * What it sends to the MLflow address in its environment is read in any case.
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

/** One argument, or several that stand or fall together: a group whose placeholder names nothing is left out. */
const Argument = z.union([z.string(), z.number().transform(String), z.array(z.string()).min(1)]);

/** A command line that starts Python: a program, or a launcher with its options, such as `uv run python3`. */
const Python = z
  .string()
  .refine((line) => (readWords(line) ?? []).length > 0, "must be a command line whose quotes are closed")
  .default("python3");

const common = {
  title: z.string().max(100).optional(),
  /** For the program's environment, with placeholders. Everything else of ours is kept from it. */
  environment: z.record(z.string(), z.string()).default({}),
  /** Variables whose values the orchestrator knows and nothing shows. */
  secrets: z.array(SecretName).max(50).default([]),
  /** The working folder; the attempt's own when absent. */
  folder: z.string().optional(),
  /** The folder in which a plan's own tasks may name data and reward functions; they may name none when absent. */
  taskFolder: z.string().optional(),
};

/** GPUs of one machine that a run takes, where the template's own settings do not say it. */
const gpus = z.int().min(1).max(1024).optional();

const Command = z.strictObject({
  ...common,
  gpus,
  kind: z.literal("command"),
  /** Program and arguments. No shell reads them. */
  command: z.array(Argument).min(1),
  options: z.record(z.string(), Option).default({}),
  metrics: MetricsSource.default({ kind: "jsonLines" }),
});

/** Sizes of one machine that the published scripts fix. */
const Verl = z.strictObject({
  ...common,
  kind: z.literal("verl"),
  flavour: z.enum(["arlarena", "verlAgent", "verl"]).default("arlarena"),
  /** verl's release as `pip show verl` prints it. Commands differ between releases. */
  version: z.string().max(40).optional(),
  /** A recipe of ARLArena's for tasks that are no environment here; else that of the plan's environment. */
  recipe: z.enum(["search"]).optional(),
  /** Of verl's own trainer, which plays episodes. */
  agentLoop: z.string().default("tool_agent"),
  python: Python,
  /** By environment; `default` for the others. */
  models: z.record(z.string(), z.string()).default({}),
  /** Where train.parquet and test.parquet are. Absent: ARLArena's agents write their own in each attempt. */
  dataFolder: z.string().optional(),
  gpus: z.int().min(1).max(1024).default(4),
  machines: z.int().min(1).max(1024).default(1),
  /** GPUs that share one copy of the sampler's model. Of verl's own trainer and verl-agent. */
  tensorParallel: z.int().min(1).max(1024).default(1),
  /** Longest prompt of verl's own trainer, in tokens; longer ones are left out. */
  promptTokens: z.int().min(1).max(1_000_000).default(1024),
  /** Checkpoints of a run that verl's own trainer keeps. */
  keptCheckpoints: z.int().min(1).max(1000).default(2),
  logger: z.array(z.enum(["console", "wandb", "mlflow", "tensorboard", "swanlab"])).default(["console"]),
  project: z.string().default("arlarena"),
  /** Hydra overrides that come last and win. */
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
  /** Processes that train side by side, as the script or its launcher starts them. */
  processes: z.int().min(1).max(1024).default(1),
  /** Rows that a process takes at a time; the largest number up to 8 that fits when absent. */
  rowsPerDevice: z.int().min(1).max(65_536).optional(),
});

const Areal = z.strictObject({
  ...common,
  gpus,
  kind: z.literal("areal"),
  python: Python,
  /** A script that reads AReaL's configuration from its arguments, and says what the episodes are. */
  script: z.string().default("examples/math/gsm8k_rl.py"),
  /** The file that names models, machines and data. */
  config: z.string().default("examples/math/gsm8k_grpo.yaml"),
  /** Whether that file has a critic, which no override could make. */
  critic: z.boolean().default(false),
  /** `key=value` overrides that come last and win. */
  overrides: z.array(z.string()).default([]),
});

const PrimeRl = z.strictObject({
  ...common,
  gpus,
  kind: z.literal("primeRl"),
  /** What starts prime-rl's `rl`. */
  command: z.array(z.string()).min(1).default(["uv", "run", "rl"]),
  /** The file that names models, machines and environments. */
  config: z.string(),
  /** Whether that file has evaluations, which no argument could make. */
  evaluation: z.boolean().default(false),
  /** `--name value` arguments that come last and win. */
  arguments: z.array(z.string()).default([]),
});

export const TrainerTemplate = z.discriminatedUnion("kind", [Command, Verl, Trl, Areal, PrimeRl]);
export type TrainerTemplate = z.infer<typeof TrainerTemplate>;
export type CommandTemplate = z.infer<typeof Command>;

/** GPUs of one machine that a run of the template takes: they are reserved for it. Undefined: the template names none. */
export function gpusOf(template: TrainerTemplate): number | undefined {
  return template.kind === "trl" ? template.processes : template.gpus;
}

/** The file in which an administrator says which programs may be started, and how. */
export const TrainersFile = z.strictObject({
  trainers: z.record(z.string().regex(/^[A-Za-z0-9_-]{1,60}$/), TrainerTemplate),
});

/** A template filled in for one attempt: all that is needed to start the program and to read what it measures. */
export const ExternalJob = z.strictObject({
  name: z.string(),
  argv: z.array(z.string()).min(1),
  /** A command that writes the data of this attempt, run to its end before the program. */
  prepare: z.array(z.string()).min(1).optional(),
  environment: z.record(z.string(), z.string()),
  folder: z.string(),
  /** Variables that the program gets beside these, by name: no file of an attempt has their values. */
  secrets: z.array(SecretName).optional(),
  /** GPUs of one machine that the command takes. */
  gpus: z.int().optional(),
  metrics: MetricsSource,
  /** Metrics that are sums over a row's tokens under this command: stored as `NAME_sum`, not as a mean per token. */
  summed: z.array(z.string()).optional(),
  /** The trainer's own name of a metric → the studio's, where the plan's task says it. */
  names: z.record(z.string(), z.string()).optional(),
  /** What makes a program send its measurements: arguments for where its Python has a module, and a note where not. */
  reporting: z
    .strictObject({
      python: z.array(z.string()).min(1),
      module: z.string(),
      arguments: z.array(z.string()),
      without: z.string(),
    })
    .optional(),
  /** What of the specification the program is not told, or does otherwise. */
  notes: z.array(z.string()),
});
export type ExternalJob = z.infer<typeof ExternalJob>;

/** What an attempt's folder holds of it: the job, or why there is none. */
export const ExternalFile = z.union([ExternalJob, z.strictObject({ problem: z.string() })]);
export type ExternalFile = z.infer<typeof ExternalFile>;
