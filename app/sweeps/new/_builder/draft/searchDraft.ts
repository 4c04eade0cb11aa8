import type { Parameter } from "#server/domain/plan/search/space.ts";
import { Constraint } from "#server/domain/plan/search/objective.ts";
import { Sampler } from "#server/domain/plan/search/decide.ts";
import { Placement } from "#server/domain/plan/sweep/placement.ts";
import { fieldsOf, type Hyperparameter } from "#server/domain/plan/sweep/hyperparameters.ts";
import { readAt, setAt, formatHyperparameter } from "#packages/base";
import { SearchPlan } from "#server/domain/plan/sweep/searchPlan.ts";
import { rescueArms, RescueRule } from "#server/domain/plan/sweep/rescueRule.ts";
import { Stopping } from "#server/domain/plan/sweep/stopping.ts";
import type { Draft, ParameterDraft, SearchDraft } from "./draft.ts";
import { fieldAt } from "./fields.ts";
import type { FieldIssue } from "./levels.ts";
import { findOutOfRange, formatList, parseValues } from "./texts.ts";

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

/** Form fields that accept several values. */
const lists: readonly Hyperparameter[] = [labels, before, arms];

/** Returns the form field at a path within the plan, such as "search.trials" or "search.constraints.0.atLeast". */
export function planFieldAt(path: string): Hyperparameter | undefined {
  const plain = path.replace(/^search\.(objective|constraint)s\.\d+\./, "search.$1.");
  return planFields().find((field) => field.path === plain);
}

const partOf = (prefix: string) => planFields().filter(({ path }) => path.startsWith(`${prefix}.`));
const nameIn = (prefix: string, { path }: Hyperparameter) => path.slice(prefix.length + 1);

export const samplerTitles: Readonly<Record<string, string>> = {
  tpe: "TPE",
  random: "Random",
  sobol: "Sobol sequence",
  grid: "Grid",
  external: "Another program",
};

/** Returns the form fields that a search with its chosen sampler and stopping rule has, in order. */
export function fieldsOfSearch({ rule, values }: SearchDraft): readonly Hyperparameter[] {
  const sampler = values["sampler.kind"] || "tpe";
  return partOf("search").filter(({ path, when }) => {
    if (/^search\.(objective|constraint)\./.test(path)) return false;
    if (/^search\.(halving|racing)\./.test(path)) return path.startsWith(`search.${rule}.`);
    return when === undefined || when.values.includes(sampler);
  });
}

export function fieldsOfRow(name: "objectives" | "constraints"): readonly Hyperparameter[] {
  return partOf(name === "objectives" ? "search.objective" : "search.constraint");
}

export function startSearch(): SearchDraft {
  return {
    isOn: true,
    space: [startParameter("optimizer.learningRate")],
    objectives: [{ metric: "evaluation/successRate", goal: "maximize" }],
    constraints: [],
    rule: "none",
    values: { "sampler.kind": "tpe", trials: "20" },
  };
}

/** Chooses a rule, with defaults for halving. Texts of the previous rule are kept. */
export function chooseRule(search: SearchDraft, rule: SearchDraft["rule"], iterations: number): SearchDraft {
  const least = String(Math.max(1, Math.floor(iterations / 9)));
  const start = rule === "halving" ? { "halving.of": "iterations", "halving.least": least } : {};
  return { ...search, rule, values: { ...start, ...search.values } };
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

export function textsOfKind(kind: string): readonly string[] {
  return boundsOf[kind] ?? [];
}

export function kindsFor(path: string): readonly string[] {
  const field = fieldAt(path);
  if (field === undefined || (field.kind === "number" && !field.integer)) return ["uniform", "logUniform", "choice"];
  return field.kind === "number" ? ["integer", "choice"] : ["choice"];
}

/** Returns a new searched parameter: all options, or a quarter to four times a positive default within its limits. */
export function startParameter(path: string): ParameterDraft {
  const field = fieldAt(path);
  if (field === undefined) return { path, kind: "uniform", values: {} };
  if (field.kind === "choice") return { path, kind: "choice", values: { of: formatList(field.options) } };
  if (field.kind === "flag") return { path, kind: "choice", values: { of: "true, false" } };
  if (field.kind !== "number") return { path, kind: "choice", values: {} };
  const { min = -Infinity, max = Infinity, integer, default: usual = 0 } = field;
  const around = (x: number) => formatHyperparameter(Number((integer ? Math.round(x) : x).toPrecision(3)));
  const isPositive = usual > 0;
  const values = isPositive ? { low: around(Math.max(min, usual / 4)), high: around(Math.min(max, usual * 4)) } : {};
  return { path, kind: integer ? "integer" : isPositive ? "logUniform" : "uniform", values };
}

/** Converts a plan's search to the form's texts; a value at its default becomes an empty text. */
export function draftSearch(search: SearchPlan): SearchDraft {
  const { space, objective, constraints = [], known: told, sampler, halving, racing } = search;
  const rule = halving ? "halving" : racing ? "racing" : "none";
  const objectives = [objective].flat().map(({ metric, goal }) => ({ metric, goal }));
  const start: SearchDraft = { isOn: true, space: [], objectives, constraints: [], rule, values: {} };
  const kind = { "sampler.kind": sampler.kind };
  return {
    ...start,
    space: Object.entries(space).map(([path, parameter]) => draftParameter(path, parameter)),
    constraints: constraints.map((one) => textsOf("search.constraint", one)),
    values: { ...textsOf("search", search, fieldsOfSearch({ ...start, values: kind })), ...kind },
    ...(told && { known: told }),
  };
}

function draftParameter(path: string, { kind, when, ...rest }: Parameter): ParameterDraft {
  const texts = Object.entries(rest).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, formatList([value].flat())] as const],
  );
  return { path, kind, values: Object.fromEntries(texts), ...(when && { when }) };
}

/** Returns form texts for the values in a section of the plan; a value at its default has no text. */
export function textsOf(
  prefix: string,
  value: object,
  fields: readonly Hyperparameter[] = partOf(prefix),
): Record<string, string> {
  const texts = fields.flatMap((field) => {
    const name = nameIn(prefix, field);
    const one = readAt(value, name);
    if (one === undefined || one === field.default || (Array.isArray(one) && one.length === 0)) return [];
    return [[name, formatList([one].flat())] as const];
  });
  return Object.fromEntries(texts);
}

type Read = { value: Record<string, unknown>; issues: FieldIssue[] };

function readTexts(texts: Readonly<Record<string, string>>, fields: readonly Hyperparameter[], at: Place): Read {
  const issues: FieldIssue[] = [];
  let value: Record<string, unknown> = {};
  for (const field of fields) {
    const name = nameIn(at.prefix, field);
    const { values, problem } = parseValues(texts[name] ?? "", field);
    const several =
      values.length > 1 && !lists.includes(field) && field.kind !== "text"
        ? `has ${values.length} values, must have at most 1`
        : undefined;
    const wrong = problem ?? findOutOfRange(values, field) ?? several;
    if (wrong) issues.push({ field: `${at.field}.${name}`, message: wrong });
    else if (values.length > 0) value = { ...setAt(value, name, lists.includes(field) ? values : values[0]) };
  }
  return { value, issues };
}

/** `prefix` is the start of the fields' paths, `field` the form path under which errors are reported. */
type Place = { prefix: string; field: string };

export function readSearch(search: SearchDraft): Read {
  const { space, objectives, constraints, rule, values, known: told } = search;
  const rest = readTexts(values, fieldsOfSearch(search), { prefix: "search", field: "search" });
  const read = space.map((parameter, i) => readParameter(parameter, { i, space }));
  const bounds = constraints.map((one, i) =>
    readTexts(one, partOf("search.constraint"), { prefix: "search.constraint", field: `search.constraints.${i}` }),
  );
  const raw = {
    ...(rule === "none" ? {} : { [rule]: {} }),
    ...rest.value,
    space: Object.fromEntries(read.map(({ value }, i) => [space[i]?.path ?? "", value])),
    objective: objectives.length === 1 ? objectives[0] : objectives,
    ...(bounds.length > 0 && { constraints: bounds.map(({ value }) => value) }),
    ...(told && { known: told }),
  };
  return { value: raw, issues: [...rest.issues, ...[...read, ...bounds].flatMap(({ issues }) => issues)] };
}

/** Stands for the field of a path that is not a hyperparameter; the check of the plan refuses the path by name. */
const unknownField: Hyperparameter = {
  kind: "number",
  path: "",
  group: "",
  title: "",
  description: "",
  integer: false,
};

function readParameter(
  { path, kind, values: texts, when }: ParameterDraft,
  { i, space }: { i: number; space: SearchDraft["space"] },
): Read {
  const at = `search.space.${i}`;
  const issues: FieldIssue[] = [];
  if (path === "") issues.push({ field: `${at}.path`, message: "choose a hyperparameter" });
  else if (space.findIndex((other) => other.path === path) < i)
    issues.push({ field: `${at}.path`, message: "is searched twice: remove one" });
  const field = fieldAt(path) ?? unknownField;
  const value: Record<string, unknown> = { kind, ...(when && { when }) };
  for (const name of textsOfKind(kind)) {
    const { values, problem } = parseValues(texts[name] ?? "", field);
    // The limits of a hyperparameter's values do not apply to a step, which is a distance between values.
    const wrong = problem ?? (name === "step" ? undefined : findOutOfRange(values, field));
    if (wrong) issues.push({ field: `${at}.${name}`, message: wrong });
    else if (values.length > 0) value[name] = name === "of" ? values : values[0];
  }
  return { value, issues };
}

/** Parses early stopping, rescue and placement, without sections that the form does not set. */
export function readRunning({ plan }: Draft): Read {
  const read = (part: string) => {
    const texts = Object.fromEntries(partOf(part).map((field) => [nameIn(part, field), plan[field.path] ?? ""]));
    return readTexts(texts, partOf(part), { prefix: part, field: part });
  };
  const [stopping, rescue, placement] = [read("stopping"), read("rescue"), read("placement")];
  const isStopping = stopping.value["at"] !== undefined;
  const isRescuing = rescue.value["on"] !== undefined;
  const isPlaced = Object.keys(placement.value).length > 0;
  return {
    value: {
      ...(isStopping && { stopping: stopping.value }),
      ...(isRescuing && { rescue: rescue.value }),
      ...(isPlaced && { placement: placement.value }),
    },
    issues: [...(isStopping ? stopping.issues : []), ...(isRescuing ? rescue.issues : []), ...placement.issues],
  };
}

/** Converts a path of the plan: "search.space.optimizer.learningRate.low" becomes "search.space.0.low". */
export function toSearchField(path: string, search: SearchDraft | undefined): string {
  const rest = path.slice("search.space.".length);
  if (path.startsWith("search.space.") && search) {
    const found = search.space
      .map((one, i) => ({ path: one.path, i }))
      .filter((one) => rest === one.path || rest.startsWith(`${one.path}.`) || rest.startsWith(`${one.path}[`))
      .toSorted((a, b) => b.path.length - a.path.length)[0];
    if (!found) return "search.space";
    const name = /^\.(low|high|step|of)\b/.exec(rest.slice(found.path.length))?.[1];
    return `search.space.${found.i}${name ? `.${name}` : ""}`;
  }
  if (path.startsWith("search.objective")) return "search.objective";
  const bound = /^search\.constraints\[(\d+)\]/.exec(path);
  if (bound) return `search.constraints.${bound[1]}`;
  return path.startsWith("search.known") ? "search.known" : path.replace(/\[\d+\].*$/, "");
}
