import { examinePlan, tidyPlan, type Examined } from "#server/domain/plan/sweep/checkPlan.ts";
import type { Problem } from "#server/domain/plan/sweep/problems.ts";
import type { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import { fieldOf } from "./fieldOf.ts";
import { isOptionalPart } from "./fields.ts";
import { isPart, readIn, setIn, suggestName, textIn, type Part } from "./sweepFile.ts";
import { modelPath, policyKindOf } from "./policy.ts";
import { isListField } from "./planFields.ts";
import { parseSeeds, parseValues } from "#app/_components/setting/texts.ts";

/** An error message for one field of the form; `field` is its path in the sweep file, joined by dots. */
export type FieldIssue = { field: string; message: string };

export type Checked = {
  valid: Examined["valid"];
  /** The plan, if necessary without what is wrong in it, so that its other runs can be counted. */
  countable: Examined["valid"];
  issues: FieldIssue[];
  /** The same errors at their exact places in the file, for the YAML text. */
  problems: readonly Problem[];
};

/** Returns the sweep file of a plan. */
export function toFile(plan: SweepPlan): Part {
  const written: unknown = JSON.parse(JSON.stringify(tidyPlan(plan)));
  return isPart(written) ? written : {};
}

export function checkFile(file: Part): Checked {
  const model = findMissingModel(file);
  const name = textIn(file, ["name"]).trim() || suggestName(file) || "Untitled sweep";
  const named = typeof readIn(file, ["name"]) === "object" ? file : { ...file, name };
  const { valid, problems } = examinePlan(withoutEmptyModel(named));
  const all = [...model, ...problems.map((problem) => sayAsTyped(problem, file))];
  const issues = all.map(({ path, message }) => ({ field: toField(path), message }));
  const countable = valid ?? findCountable(named);
  return { valid: model.length > 0 ? undefined : valid, countable, issues, problems: all };
}

/** Problems of the schema hide others, such as a seed listed twice, so they are removed in rounds. */
const maxRounds = 4;

function findCountable(file: Part, round = 0): Examined["valid"] {
  const { valid, problems } = examinePlan(withoutEmptyModel(file));
  return valid ?? (round < maxRounds ? findCountable(withoutProblems(file, problems), round + 1) : undefined);
}

/** Parts of the file that decide how many runs there are; the others can be left out as a whole. */
const deciding = "methods grid environments base axes when exclude distributions sample search".split(" ");

/** Removes the settings with problems, later items of a list first; what decides the number of runs stays. */
function withoutProblems(file: Part, problems: readonly Problem[]): Part {
  const paths = new Map(
    problems.map(({ path }) => [path.map(String).join("\n"), path.map((key) => (typeof key === "symbol" ? "" : key))]),
  );
  return [...paths.values()].reduceRight((rest, path) => {
    const value = readIn(rest, path);
    const [first = ""] = path;
    if (value === undefined || (path.length === 1 && deciding.includes(String(first)))) return rest;
    if (first === "name") return setIn(rest, path, "Untitled sweep");
    return setIn(rest, path, first === "seeds" && typeof value === "string" ? parseSeeds(value).values : undefined);
  }, file);
}

const modelAt = ["base", ...modelPath.split(".")];

/** A pretrained policy without a name has an empty text in the file, which is no path of a model. */
function withoutEmptyModel(file: Part): Part {
  return readIn(file, modelAt) === "" ? setIn(file, modelAt, undefined) : file;
}

/** Reports a "pretrained" policy without a model, neither in a field nor sampled or searched. */
function findMissingModel(file: Part): Problem[] {
  const elsewhere = [["axes"], ["search", "space"], ["sample", "parameters"]];
  const isNamed =
    readIn(file, modelAt) !== "" || elsewhere.some((at) => readIn(file, [...at, modelPath]) !== undefined);
  if (policyKindOf(file) === "builtIn" || isNamed) return [];
  return [{ path: modelAt, message: "needs a model: owner/name on a hub, or a folder" }];
}

/** Explains text that stands where a number or an option belongs in the words of its field. */
function sayAsTyped({ path, message }: Problem, file: Part): Problem {
  const keys = path.map((key) => (typeof key === "symbol" ? "" : key));
  const value = readIn(file, keys);
  if (path[0] === "seeds" && typeof value === "string") return { path, message: parseSeeds(value).problem ?? message };
  if (isPart(value) && path[0] === "search") {
    // A refused bound of a range, or a choice, is named by its value only.
    const names = Object.keys(value).filter((name) =>
      [value[name]].flat().some((one) => message.startsWith(`is ${String(one)},`)),
    );
    return { path: [...path, ...names.slice(0, 1)], message };
  }
  const field = fieldOf(keys.join("."));
  if (field && typeof value === "string" && field.kind === "number") {
    return { path, message: parseValues(value, field).problem ?? message };
  }
  const isOne = field !== undefined && /^(search|stopping|rescue|placement)\./.test(field.path) && !isListField(field);
  return isOne && Array.isArray(value)
    ? { path, message: `has ${value.length} values, must have at most 1` }
    : { path, message };
}

/** Paths that show errors without being fields: sections and lists of the form, and items of lists. */
const places =
  /^(name|description|seeds|methods|stopping|rescue|placement|search|environments|base\.(trainer|evaluation\.elsewhere)|grid\.[a-z]+|search\.(space|objective|known|space\.(?!.*\.(kind|when)).*|constraints\.\d+)|.*\.(parts|phases)\.\d+\.(name|weight|until\.\w+)|base\.evaluation\.elsewhere\.\d+\.(name|numEpisodes|every))$/i;

/** Settings that an environment has only for its own runs; the form lists them without fields. */
const isAttached = /^environments\.\d+\.(base|methods|search)\b/;

/** Returns the nearest place of the form that shows an error at this path; the path itself if there is none. */
function toField(path: Problem["path"]): string {
  const keys = path.map(String);
  const root = keys[0] === "axes" ? ["base", ...keys.slice(1)] : keys;
  const whole = root.join(".");
  if (isAttached.test(whole)) return whole;
  for (let length = root.length; length > 0; length--) {
    const field = root.slice(0, length).join(".");
    if (fieldOf(field) !== undefined || places.test(field) || isOptionalPart(field)) return field;
  }
  return whole;
}

/** Prefixes of the settings that, together with the environment, determine a run's memory. */
const asked = ["policy", "execution", "rollout"];

/** Returns only what determines a run's memory; undefined if the file names no model or this is invalid. */
export function probeModel(file: Part): Checked["valid"] {
  if (policyKindOf(file) === "builtIn") return undefined;
  const isAsked = ([path]: [string, unknown]) => asked.includes(path.split(".")[0] ?? "");
  const [base, axes] = (["base", "axes"] as const).map((key) => {
    const settings = readIn(file, [key]);
    return isPart(settings) ? Object.fromEntries(Object.entries(settings).filter(isAsked)) : {};
  });
  const { environments } = file;
  return examinePlan({ name: "a model", methods: ["grpo"], environments, base, axes, seeds: [0] }).valid;
}
