import type { RunSpec, TrainerChoice } from "#trainer/spec/run.ts";
import { AppError, badInput, readAt } from "#packages/base";
import type { CommandTemplate, Option } from "./template.ts";

/** Folders and ids of an attempt, which replace the placeholders of a command. */
export type AttemptPaths = {
  /** `folder`: that of the attempt. `runFolder`: shared by all attempts of the run. */
  folder: string;
  runFolder: string;
  run: string;
  attempt: number;
  /** Home folder of the account under which the trainer runs. */
  home: string;
};

type Values = { spec: RunSpec; paths: AttemptPaths; options: Readonly<Record<string, unknown>> };

/**
 * Replaces placeholders in a text: `{optimizer.learningRate}` and every other path of the specification, `{seed}`,
 * `{folder}`, `{runFolder}`, `{run}`, `{attempt}`, `{home}`, `{options.NAME}`. `{path:python}` writes True and False.
 * `{{name}}` gives a literal `{name}`, and braces around other text stay. Undefined if the specification lacks a
 * placeholder's path.
 */
export function fillIn(text: string, values: Values): string | undefined {
  let isWhole = true;
  const filled = text.replaceAll(placeholder, (_, literal: string | undefined, inside = "") => {
    if (literal !== undefined) return `{${literal}}`;
    const [path = "", form = ""] = inside.split(":");
    if (form !== "" && form !== "python") throw new AppError("bad_input", `{${inside}}: the form "${form}" is unknown`);
    const value = lookUp(path, values);
    if (value === undefined) isWhole = false;
    if (typeof value === "string") refuseText(path, value);
    return value === undefined ? "" : write(value, form === "python");
  });
  return isWhole ? filled : undefined;
}

const placeholder = /\{\{([^{}]*)\}\}|\{([A-Za-z][\w.]*(?::\w+)?)\}/g;

/** Throws if a value, which is not the administrator's, could become an option or a variable of the program. */
function refuseText(path: string, value: string): void {
  const why = value.startsWith("-")
    ? 'begins with "-": it would be an option of the program, not a value'
    : describeInterpolation(value);
  if (why === undefined) return;
  const message = `${JSON.stringify(value)} ${why}`;
  throw badInput([{ path: path.startsWith("options.") ? `trainer.${path}` : path, message }]);
}

/**
 * Returns the reason why a text cannot be passed to a program that reads its settings with OmegaConf, as Hydra does;
 * undefined if it can. Escaping does not help, because `OmegaConf.resolve`, which verl calls, removes the backslash.
 */
export function describeInterpolation(text: string): string | undefined {
  return text.includes("${") ? 'has "${" in it: Hydra would put a variable of the environment there' : undefined;
}

function lookUp(path: string, { spec, paths, options }: Values): unknown {
  if (path.startsWith("options.")) return options[path.slice("options.".length)];
  return Object.hasOwn(paths, path) ? readAt(paths, path) : readAt(spec, path);
}

function write(value: unknown, isPython: boolean): string {
  if (isPython && typeof value === "boolean") return value ? "True" : "False";
  if (isPython && value === null) return "None";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Fills in a template's arguments. A group with an unresolvable placeholder is omitted; a single one is an error. */
export function fillInCommand({ command }: CommandTemplate, values: Values): string[] {
  return command.flatMap((argument) => {
    if (typeof argument !== "string") {
      const group = argument.map((part) => fillIn(part, values));
      return group.every((part) => part !== undefined) ? group : [];
    }
    return [fillInOrThrow(argument, values)];
  });
}

export function fillInOrThrow(text: string, values: Values): string {
  const filled = fillIn(text, values);
  if (filled === undefined) {
    throw new AppError(
      "bad_input",
      `${text}: the specification has no field of this name; put fields that may be absent into a group`,
    );
  }
  return filled;
}

/** Returns the values of a template's own parameters, set by the sweep or by default, after a check of their types. */
export function readOptions(
  declared: Readonly<Record<string, Option>>,
  given: TrainerChoice["options"],
): Record<string, number | string | boolean> {
  const foreign = Object.keys(given).find((name) => !Object.hasOwn(declared, name));
  if (foreign !== undefined) {
    const known = Object.keys(declared).join(", ") || "none";
    throw new AppError("bad_input", `trainer.options.${foreign}: the trainer has no such option (it has ${known})`);
  }
  return Object.fromEntries(
    Object.entries(declared).flatMap(([name, option]) => {
      const value = given[name] ?? option.default;
      if (value === undefined) return [];
      if (!fits(option, value)) {
        throw new AppError("bad_input", `trainer.options.${name}: ${JSON.stringify(value)} is no ${describe(option)}`);
      }
      return [[name, value] as const];
    }),
  );
}

function fits(option: Option, value: number | string | boolean): boolean {
  switch (option.type) {
    case "number":
      return typeof value === "number";
    case "text":
      return typeof value === "string";
    case "flag":
      return typeof value === "boolean";
    case "choice":
      return typeof value === "string" && option.of.includes(value);
  }
}

function describe(option: Option): string {
  return option.type === "choice" ? `choice of ${option.of.join(", ")}` : option.type;
}
