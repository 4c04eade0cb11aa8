import { isSecretName } from "#trainer/spec/secretName.ts";
import type { RunSpec } from "#trainer/spec/run.ts";
import { AppError, badInput, formatIssue, readWords } from "#packages/base";
import { type AttemptPaths, fillInCommand, fillInOrThrow, readOptions } from "./fillIn.ts";
import { type ExternalJob, gpusOf, type MetricsSource, type Option, type TrainerTemplate } from "./template.ts";
import { readArguments } from "../logs/trl.ts";
import { namesElsewhere, tasksElsewhere } from "./elsewhere.ts";
import type { Remark } from "./handling.ts";
import { type Begins, beginningOf } from "./beginning.ts";
import { arealArguments } from "./areal/arguments.ts";
import { primeArguments } from "./prime/arguments.ts";
import { trlArguments } from "./trl/arguments.ts";
import { namesOfTask, placeTask, type Task, taskOf } from "./task.ts";
import { agentArguments } from "./verl/agents.ts";
import { mathArguments, mathOptions } from "./verl/math.ts";
import { type Recipe, recipes, searchRecipe } from "./verl/recipes.ts";
import type { VerlArguments, VerlSettings } from "./verl/run.ts";
import { verlReleases } from "./verl/releases.ts";
import { upstreamArguments } from "./verl/upstream.ts";

/** Returns an attempt's program. Throws `bad_input` if the program cannot run the specification. */
export function resolveTemplate(
  templates: Readonly<Record<string, TrainerTemplate>>,
  spec: RunSpec,
  paths: AttemptPaths,
): ExternalJob {
  const { name = "", options: given = {}, secrets: planned = [] } = spec.trainer ?? {};
  const template = Object.hasOwn(templates, name) ? templates[name] : undefined;
  if (!template) {
    const known = Object.keys(templates).join(", ") || "none";
    throw new AppError("bad_input", `there is no trainer "${name}" in the administrator's file (it has ${known})`);
  }
  const begun = beginningOf(template, spec, paths);
  if ("message" in begun) throw refuse([begun]);
  const options = readOptions(optionsOf(template, spec), given);
  const values = { ...begun, paths, options };
  const fill = (text: string) => fillInOrThrow(text, values);
  const taskFolder = template.taskFolder === undefined ? undefined : fill(template.taskFolder);
  const elsewhere = tasksElsewhere(template, spec, taskFolder);
  const task = { ...taskOf(spec, taskFolder), elsewhere: elsewhere.folders };
  const problems = [...task.problems, ...elsewhere.problems];
  if (problems.length > 0) throw refuse(problems);
  const { notes, environment = {}, ...command } = commandOf(template, { ...values, task }, fill);
  const names = [...namesOfTask(spec), ...namesElsewhere(spec)];
  const variables = Object.entries(template.environment).map(([key, text]) => [key, fill(text)] as const);
  const gpus = gpusOf(template);
  const secrets = [...new Set([...template.secrets, ...planned])];
  return {
    name,
    ...command,
    notes: [...notes, ...elsewhere.notes.map(formatIssue), ...adviseSecrets(name, template)],
    ...(secrets.length > 0 && { secrets }),
    ...(gpus !== undefined && { gpus }),
    ...(template.kind === "verl" && template.version !== undefined && { release: template.version }),
    ...(names.length > 0 && { names: Object.fromEntries(names) }),
    environment: { ...environment, ...Object.fromEntries(variables) },
    folder: template.folder === undefined ? paths.folder : fill(template.folder),
  };
}

function adviseSecrets(name: string, { environment }: TrainerTemplate): string[] {
  const names = Object.keys(environment).filter(isSecretName);
  if (names.length === 0) return [];
  const list = names.join(", ");
  return [
    `the template "${name}" spells out ${list} under environment: write secrets: [${list}] instead, and the values into secrets.env`,
  ];
}

/** Options beside the specification: declared by the administrator, or of ARLArena's mathematics. */
function optionsOf(template: TrainerTemplate, { environment }: RunSpec): Readonly<Record<string, Option>> {
  if (template.kind === "command") return template.options;
  const isMath = template.kind === "verl" && template.flavour === "arlarena" && template.recipe === undefined;
  return isMath && (environment.id === "tirMath" || environment.id === "custom") ? mathOptions : {};
}

type Values = {
  /** Specification with the seed that the program receives. */
  spec: RunSpec;
  beginning?: Begins;
  paths: AttemptPaths;
  options: Record<string, number | string | boolean>;
  task: Task;
};
type Filled = Pick<
  ExternalJob,
  "argv" | "metrics" | "notes" | "reporting" | "prepare" | "summed" | "begins" | "suits"
> & {
  environment?: Record<string, string>;
};

function commandOf(template: TrainerTemplate, values: Values, fill: (text: string) => string): Filled {
  const { spec, paths, task, beginning } = values;
  switch (template.kind) {
    case "command": {
      const placed = { ...values, spec: placeTask(spec, task) };
      return { argv: fillInCommand(template, placed), metrics: fillSource(template.metrics, fill), notes: [] };
    }
    case "verl":
      return verlCommand(template, values, fill);
    case "trl": {
      const outputFolder = `${paths.folder}/output`;
      const { processes, rowsPerDevice, modelArgument } = template;
      const trl = trlArguments(spec, { outputFolder, processes, rowsPerDevice, task, modelArgument, beginning });
      if (trl.problems.length > 0) throw refuse(trl.problems);
      const last = template.arguments.map(fill);
      const { kept, notes } = overruleFlags(trl.arguments, last);
      const words = wordsOf(template.python, fill);
      const argv = [...words, fill(template.script), ...kept, ...last];
      return {
        argv,
        metrics: { kind: "trlPrinted" },
        ...(trl.modules !== undefined && { environment: { PYTHONPATH: trl.modules } }),
        notes: [...trl.notes, ...notes].map(formatIssue),
        ...reportingOf(interpreterOf(words), argv),
        ...(beginning && { begins: { ...beginning, python: interpreterOf(words) } }),
      };
    }
    case "areal":
      return arealCommand(template, values, fill);
    case "primeRl":
      return primeCommand(template, values, fill);
  }
}

/** Returns the releases of verl for which a plan has the same command. */
function suitedReleases(spec: RunSpec, { overrides }: VerlArguments, settings: VerlSettings): string[] {
  return verlReleases.filter((version) => {
    const other = verlArguments(spec, { ...settings, version });
    return other.problems.length === 0 && other.overrides.join("\n") === overrides.join("\n");
  });
}

type Of<Kind extends TrainerTemplate["kind"]> = Extract<TrainerTemplate, { kind: Kind }>;
type Fill = (text: string) => string;

function verlCommand(template: Of<"verl">, { spec, paths, task, beginning, options }: Values, fill: Fill): Filled {
  const { python, dataFolder, overrides, ...machine } = template;
  const settings = {
    ...machine,
    dataFolder: dataFolder === undefined ? undefined : fill(dataFolder),
    home: paths.home,
    runFolder: paths.runFolder,
    folder: paths.folder,
    experiment: paths.run,
    options,
    task,
    beginning,
  };
  const verl = verlArguments(spec, settings);
  if (verl.problems.length > 0) throw refuse(verl.problems);
  const last = overrides.map(fill);
  const { kept, notes } = overruleSettings(verl.overrides, last);
  const words = wordsOf(python, fill);
  const argv = [...words, "-m", verl.module, ...kept, ...last];
  return {
    argv,
    metrics: { kind: "verlConsole" },
    notes: [...verl.notes, ...notes].map(formatIssue),
    ...(sumsOf(argv) && { summed: sumsOf(argv) }),
    ...(beginning && { begins: { ...beginning, python: interpreterOf(words) } }),
    ...(settings.flavour === "verl" && {
      suits: { python: interpreterOf(words), releases: suitedReleases(spec, verl, settings) },
    }),
    ...(verl.prepare && { prepare: [...interpreterOf(words), "-m", ...verl.prepare] }),
  };
}

function arealCommand(template: Of<"areal">, { spec, paths, task }: Values, fill: Fill): Filled {
  const { runFolder, run } = paths;
  const areal = arealArguments(spec, { runFolder, run, hasCritic: template.critic, task });
  if (areal.problems.length > 0) throw refuse(areal.problems);
  const last = template.overrides.map(fill);
  const { kept, notes } = overruleSettings(areal.overrides, last);
  const words = wordsOf(template.python, fill);
  const argv = [...words, fill(template.script), "--config", fill(template.config), ...kept, ...last];
  return { argv, metrics: { kind: "arealConsole" }, notes: [...areal.notes, ...notes].map(formatIssue) };
}

function primeCommand(template: Of<"primeRl">, { spec, paths }: Values, fill: Fill): Filled {
  const outputFolder = `${paths.folder}/output`;
  const prime = primeArguments(spec, { outputFolder, hasEvaluations: template.evaluation });
  if (prime.problems.length > 0) throw refuse(prime.problems);
  const last = template.arguments.map(fill);
  const { kept, notes } = overruleFlags(prime.arguments, last);
  const argv = [...template.command.map(fill), "@", fill(template.config), ...kept, ...last];
  // prime-rl's own file monitor writes the measurements, because its console output has none.
  const metrics = { kind: "jsonLines", file: `${outputFolder}/run/metrics.jsonl` } as const;
  return { argv, metrics, notes: [...prime.notes, ...notes].map(formatIssue) };
}

/** Metrics that a command sums over a response's tokens, like its loss: nats per batch row, not per token. */
function sumsOf(argv: readonly string[]): string[] | undefined {
  const mode = argv.findLast((one) => /^\+*actor_rollout_ref\.actor\.loss_agg_mode=/.test(one));
  return mode?.includes("token-sum") ? ["actor/entropy", "actor/entropy_loss", "actor/kl_loss"] : undefined;
}

/** Splits a command line into arguments and fills in placeholders. A value that contains a space stays one argument. */
function wordsOf(line: string, fill: Fill): string[] {
  return (readWords(line) ?? [line]).map(fill);
}

/** Returns the Python command behind a launcher: `uv run accelerate launch` becomes `uv run python3`. */
export function interpreterOf(words: readonly string[]): string[] {
  const launcher = words.findIndex((word) => /(?:^|\/)(?:accelerate|torchrun|deepspeed)$/.test(word));
  if (launcher === -1) return [...words];
  // For a launcher with a path, the Python in the same folder is used.
  const folder = /^.*\//.exec(words[launcher] ?? "")?.[0] ?? "";
  return [...words.slice(0, launcher), `${folder}python3`];
}

/** Makes TRL report its measurements, because it prints four digits and no steps. A command's own option is kept. */
function reportingOf(python: string[], argv: readonly string[]): Pick<Filled, "reporting"> {
  const given = readArguments(argv);
  if (given.has("report_to") || given.has("config")) return {};
  const without = "mlflow is not installed beside TRL: values have the four digits that TRL prints";
  return { reporting: { python, module: "mlflow", arguments: ["--report_to", "mlflow"], without } };
}

function fillSource(source: MetricsSource, fill: (text: string) => string): MetricsSource {
  return "file" in source && source.file !== undefined ? { ...source, file: fill(source.file) } : source;
}

function refuse(problems: readonly Remark[]): AppError {
  return badInput([...problems]);
}

/** `kept`: arguments of a plan that the template does not override. `notes`: notes on those that it overrides. */
type Overruled = { kept: string[]; notes: Remark[] };

/** Removes pairs that the template also sets, with a note, because cells that differ only in them become equal. */
function overruleFlags(pairs: readonly string[], template: readonly string[]): Overruled {
  const theirs = readArguments(template);
  const flags = pairs.flatMap((flag, i) => (i % 2 === 0 ? [{ flag, value: pairs[i + 1] ?? "" }] : []));
  return overrule(
    flags.map(({ flag, value }) => ({ name: flag, value, text: [flag, value], theirs: theirs.get(flag.slice(2)) })),
  );
}

/** Removes a plan's overrides `key=value` or `+key=value` that the template also sets; see `overruleFlags`. */
function overruleSettings(overrides: readonly string[], template: readonly string[]): Overruled {
  const read = (text: string) => {
    const [, name = "", value = ""] = /^\+*([^=]*)=?(.*)$/s.exec(text) ?? [];
    return { name, value, text: [text] };
  };
  const theirs = new Map(template.map(read).map(({ name, value }) => [name, value]));
  return overrule(overrides.map(read).map((one) => ({ ...one, theirs: theirs.get(one.name) })));
}

type Setting = { name: string; value: string; text: readonly string[]; theirs: string | undefined };

function overrule(settings: readonly Setting[]): Overruled {
  const replaced = settings.filter(({ value, theirs }) => theirs !== undefined && theirs !== value);
  return {
    kept: settings.flatMap(({ text, theirs }) => (theirs === undefined ? text : [])),
    notes: replaced.map(({ name, value, theirs }) => ({
      path: "trainer.name",
      message: `the template has ${name} ${theirs}, which replaces the plan's ${value}`,
    })),
  };
}

/** Returns the command line of verl or a fork, by the template's flavour and recipe and the plan's environment. */
export function verlArguments(spec: RunSpec, settings: VerlSettings): VerlArguments {
  const { id } = spec.environment;
  if (settings.flavour === "verl") return upstreamArguments(spec, settings);
  if (settings.recipe === "search") return agentArguments(spec, settings, searchRecipe);
  if ((id === "tirMath" || id === "custom") && settings.flavour === "arlarena") return mathArguments(spec, settings);
  const recipe: Recipe | undefined =
    id === "custom" || id === "mixture" || id === "curriculum" ? undefined : recipes[id];
  if (recipe) return agentArguments(spec, settings, recipe);
  const known = [...Object.keys(recipes), ...(settings.flavour === "arlarena" ? ["tirMath", "custom"] : [])];
  const message = `no recipe for ${id} (there are ${known.join(", ")})`;
  return { module: "", overrides: [], notes: [], problems: [{ path: "environment.id", message }] };
}
