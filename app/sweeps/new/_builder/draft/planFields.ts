import { Constraint } from "#server/domain/plan/search/objective.ts";
import { Sampler } from "#server/domain/plan/search/decide.ts";
import { Placement } from "#server/domain/plan/sweep/placement.ts";
import { fieldsOf, type Hyperparameter } from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import { SearchPlan } from "#server/domain/plan/search/searchPlan.ts";
import { rescueArms, RescueRule } from "#server/domain/plan/rescue/rescueRule.ts";
import { Stopping } from "#server/domain/plan/stopping/stopping.ts";
import { fieldAt } from "./fields.ts";
import { isPart, readIn, setIn, textIn, type Part } from "./sweepFile.ts";
import { parseValues, readValue } from "#app/_components/setting/texts.ts";

/** Returns the fields of search, early stopping, rescue and placement, by path within the plan. */
export function planFields(): readonly Hyperparameter[] {
  known ??= [
    samplerKind,
    ...fieldsOf(SearchPlan, "search"),
    ...fieldsOf(Constraint, "search.constraint"),
    ...fieldsOf(Stopping, "stopping"),
    // The schema's own field of the changes would be a second field at the path of `arms`, for a single change.
    ...fieldsOf(RescueRule, "rescue").filter(({ path }) => path !== arms.path),
    before,
    arms,
    ...fieldsOf(Placement, "placement"),
    labels,
  ];
  return known;
}

let known: readonly Hyperparameter[] | undefined;

const samplerKind: Hyperparameter = {
  kind: "choice",
  path: "search.sampler.kind",
  group: "search",
  title: "Sampler",
  description: "Algorithm that samples the next trial's settings.",
  options: Sampler.options.map((option) => option.shape.kind.value),
  default: "tpe",
};

const labels: Hyperparameter = {
  kind: "text",
  path: "placement.labels",
  group: "placement",
  title: "Labels",
  description: "Labels that a node must have to take a run, for example: gpu, a100.",
};

const before: Hyperparameter = {
  kind: "number",
  path: "rescue.before",
  group: "rescue",
  title: "Iterations before the first alarm",
  description: "Branches begin this many iterations before the first alarm. Example: 0, 10, 20.",
  integer: true,
  min: 0,
};

const arms: Hyperparameter = {
  kind: "text",
  path: "rescue.arms",
  group: "rescue",
  title: "Changes",
  description: `Changes that the branches try. An empty field means all changes: ${rescueArms.join(", ")}.`,
};

/** Returns true for a field that accepts several values. */
export function isListField(field: Hyperparameter): boolean {
  return field === labels || field === before || field === arms;
}

function readPlanValue(text: string, field: Hyperparameter): unknown {
  const { values, problem } = parseValues(text, field);
  if (problem !== undefined) return text;
  if (values.length === 0) return undefined;
  return isListField(field) || values.length > 1 ? values : values[0];
}

/** Sets the text of a field at its path in the file; a new sampler drops the settings that it lacks. */
export function setPlanField(file: Part, field: Hyperparameter, text: string): Part {
  const before = readIn(file, ["search"]);
  const rule = isPart(before) ? ruleOf(before) : "none";
  if (field === samplerKind) {
    const kind = text || "tpe";
    const lacking = partOf("search.sampler").filter(({ when }) => when && !when.values.includes(kind));
    const left = lacking.reduce((changed, { path }) => setIn(changed, path.split("."), undefined), file);
    return setIn(left, field.path.split("."), kind);
  }
  const changed = setIn(file, field.path.split("."), readPlanValue(text, field));
  // A rule that stops trials stays chosen when its last setting is removed.
  return rule === "none" || readIn(changed, ["search", rule]) ? changed : setIn(changed, ["search", rule], {});
}

/** Returns the form field at a path within the plan, such as "search.trials" or "search.constraints.0.atLeast". */
export function planFieldAt(path: string): Hyperparameter | undefined {
  const plain = path.replace(/^search\.(objective|constraint)s?\.(?:\d+\.)?/, "search.$1.");
  return planFields().find((field) => field.path === plain);
}

const partOf = (prefix: string) => planFields().filter(({ path }) => path.startsWith(`${prefix}.`));

/** Returns the form fields that a search with its chosen sampler and stopping rule has, in order. */
export function fieldsOfSearch(search: Part): readonly Hyperparameter[] {
  const sampler = textIn(search, ["sampler", "kind"]) || "tpe";
  const rule = ruleOf(search);
  return partOf("search").filter(({ path, when }) => {
    if (/^search\.(objective|constraint)\./.test(path)) return false;
    if (/^search\.(halving|racing)\./.test(path)) return path.startsWith(`search.${rule}.`);
    return when === undefined || when.values.includes(sampler);
  });
}

export function fieldsOfRow(name: "objective" | "constraints"): readonly Hyperparameter[] {
  return partOf(name === "objective" ? "search.objective" : "search.constraint");
}

export function startSearch(): Part {
  return {
    sampler: { kind: "tpe" },
    space: { "optimizer.learningRate": startParameter("optimizer.learningRate") },
    objective: { metric: "evaluation/successRate", goal: "maximize" },
    trials: 20,
  };
}

export function ruleOf(search: Part): "none" | "halving" | "racing" {
  if (search["halving"] !== undefined) return "halving";
  return search["racing"] === undefined ? "none" : "racing";
}

/** Chooses the rule that stops trials early, with defaults for halving. */
export function chooseRule(search: Part, rule: string, iterations: number): Part {
  const { halving: _, racing: __, ...rest } = search;
  if (rule === "racing") return { ...rest, racing: {} };
  const least = Math.max(1, Math.floor(iterations / 9));
  return rule === "halving" ? { ...rest, halving: { kind: "asha", of: "iterations", least } } : rest;
}

export const kindTitles: Readonly<Record<string, string>> = {
  uniform: "Uniform",
  logUniform: "Log-uniform",
  integer: "Whole numbers",
  choice: "Choices",
};

const boundsOf: Readonly<Record<string, readonly string[]>> = {
  uniform: ["low", "high", "step"],
  logUniform: ["low", "high"],
  integer: ["low", "high"],
  choice: ["of"],
};

export function boundsOfKind(kind: string): readonly string[] {
  return boundsOf[kind] ?? [];
}

export function kindsFor(path: string): readonly string[] {
  const field = fieldAt(path);
  if (field === undefined || (field.kind === "number" && !field.integer)) return ["uniform", "logUniform", "choice"];
  return field.kind === "number" ? ["integer", "choice"] : ["choice"];
}

/** Returns a new searched parameter: all options, or a quarter to four times a positive default within its limits. */
export function startParameter(path: string): Part {
  const field = fieldAt(path);
  if (field === undefined) return { kind: "uniform" };
  if (field.kind === "choice") return { kind: "choice", of: field.options };
  if (field.kind === "flag") return { kind: "choice", of: [true, false] };
  if (field.kind !== "number") return { kind: "choice" };
  const { min = -Infinity, max = Infinity, integer, default: usual = 0 } = field;
  const around = (x: number) => Number((integer ? Math.round(x) : x).toPrecision(3));
  const kind = integer ? "integer" : usual > 0 ? "logUniform" : "uniform";
  return usual > 0 ? { kind, low: around(Math.max(min, usual / 4)), high: around(Math.min(max, usual * 4)) } : { kind };
}

/** Reads a bound of a range, or its choices, which are a list. */
export function readBound(text: string, name: string, field: Hyperparameter): unknown {
  const { values, problem } = parseValues(text, field);
  if (problem !== undefined) return text;
  return name === "of" && values.length === 1 ? values : readValue(text, field);
}

/** Gives a parameter another kind of range, without the bounds that this does not have. */
export function changeKind(parameter: Part, kind: string): Part {
  const kept = ["when", ...boundsOfKind(kind)];
  return { kind, ...Object.fromEntries(Object.entries(parameter).filter(([key]) => kept.includes(key))) };
}
