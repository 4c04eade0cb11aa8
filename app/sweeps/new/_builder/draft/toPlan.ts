import { expandPlan, type Expansion } from "#server/domain/plan/sweep/expand.ts";
import { AppError, setAt } from "#packages/base";
import { SweepPlan } from "#server/domain/plan/sweep/schema.ts";
import { explainIssue, formatPath } from "#server/domain/plan/sweep/problems.ts";
import type { EnvironmentDraft } from "#app/_components/episode/environmentDraft.ts";
import { expandCorrections } from "./correctionDraft.ts";
import { resolveMethod } from "#server/domain/plan/sweep/methodChoice.ts";
import { dimensionIds, hasGrid, titleOfDraft, type Draft, type PlannedDraft, type SearchDraft } from "./draft.ts";
import { fieldAt, fieldsOfEnvironment } from "./fields.ts";
import { modelPath, policyKindOf } from "./policyDraft.ts";
import { expandLevel, type FieldIssue } from "./levels.ts";
import { readRunning, readSearch, toSearchField } from "./searchDraft.ts";
import { findOutOfRange, parseSeeds, parseValues } from "./texts.ts";

export type Checked = {
  /** The form's contents as a plan, possibly invalid. */
  raw: Record<string, unknown>;
  /** The plan and its expansion into runs; undefined if there are error messages. */
  valid: { plan: SweepPlan; expansion: Expansion } | undefined;
  /** Errors by form field: "seeds", "grid.clipping.0.low", "search.space.0.low"; "" for the whole form. */
  issues: FieldIssue[];
};

export function checkDraft(draft: Draft): Checked {
  const grid = readGrid(draft);
  const environments = readEnvironments(draft);
  const elsewhere = readElsewhere(draft);
  const fields = readFields(draft.values);
  const settings =
    elsewhere.list.length === 0 ? fields.base : { ...setAt(fields.base, "evaluation.elsewhere", elsewhere.list) };
  const model = findMissingModel(draft);
  const seeds = parseSeeds(draft.seeds);
  const search = draft.search?.isOn ? readSearch(draft.search) : undefined;
  const running = readRunning(draft);
  const raw = {
    v: 1,
    name: draft.name.trim() || suggestName(draft) || "Untitled sweep",
    description: draft.description,
    methods: draft.methods,
    ...(Object.keys(grid.levels).length > 0 ? { grid: grid.levels } : {}),
    environments: environments.specs,
    base: draft.trainer ? { ...settings, trainer: draft.trainer } : settings,
    axes: fields.axes,
    seeds: seeds.values,
    ...draft.rules,
    ...(search && { search: search.value }),
    ...running.value,
  };
  const found = [grid, environments, elsewhere, fields, running, ...(search ? [search] : [])];
  const issues = [...found.flatMap((one) => one.issues), ...model];
  if (seeds.problem) issues.push({ field: "seeds", message: seeds.problem });
  if (issues.length > 0) return { raw, valid: undefined, issues };
  return { raw, ...checkPlan(raw, draft.search) };
}

/** Returns a default name for the sweep, such as "GRPO, GSPO on Sokoban"; empty if no method is chosen yet. */
export function suggestName(draft: Draft): string {
  const labels = draft.methods.map((choice) => resolveMethod(choice).label);
  const named = labels.length > 4 ? [...labels.slice(0, 3), `${labels.length - 3} more`] : labels;
  const what = [...named, ...(hasGrid(draft) ? ["grid"] : [])].join(", ");
  const where = [...new Set(draft.environments.map(titleOfDraft))];
  return what === "" ? "" : `${what} on ${where.join(", ")}`.slice(0, 100);
}

/** Reports a "pretrained" policy without a model, neither in a field nor sampled or searched. */
function findMissingModel(draft: Draft): FieldIssue[] {
  const isSearched = draft.search?.isOn && draft.search.space.some(({ path }) => path === modelPath);
  const isDrawn = isSearched || modelPath in { ...draft.rules?.sample?.parameters };
  if (policyKindOf(draft) === "builtIn" || draft.values[modelPath] !== undefined || isDrawn) return [];
  return [{ field: `values.${modelPath}`, message: "needs a model: owner/name on a hub, or a folder" }];
}

function checkPlan(raw: unknown, search: SearchDraft | undefined): Pick<Checked, "valid" | "issues"> {
  const parsed = SweepPlan.safeParse(raw, { reportInput: true });
  if (!parsed.success) {
    const problems = parsed.error.issues.flatMap(explainIssue);
    const issues = problems.map(({ path, message }) => ({ field: toField(formatPath(path), search), message }));
    return { valid: undefined, issues };
  }
  try {
    return { valid: { plan: parsed.data, expansion: expandPlan(parsed.data) }, issues: [] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const issues = error.issues.map(({ path, message }) => ({ field: toField(path, search), message }));
    return { valid: undefined, issues };
  }
}

function toField(path: string, search: SearchDraft | undefined): string {
  if (path.startsWith("search.")) return toSearchField(path, search);
  if (/^(stopping|rescue|placement)\./.test(path)) return path.replace(/\[\d+\]$/, "");
  // Conflicts between levels are shown at the dimension that the path names, such as "grid.advantage".
  if (/^grid\.[a-z]/i.test(path)) return path.split(".").slice(0, 2).join(".");
  const task = /^base\.evaluation\.elsewhere\[(\d+)\]\.environment\.(title|dataFolder)$/.exec(path);
  if (task) return `elsewhere.${task[1]}.${task[2]}`;
  if (path.startsWith("base.evaluation.elsewhere")) return "elsewhere";
  if (path.startsWith("base.")) return `values.${path.slice("base.".length)}`;
  if (path.startsWith("axes.")) return `values.${path.slice("axes.".length).split(":")[0]}`.replace(/\[\d+\]$/, "");
  return path.split(/[.[]/)[0] ?? "";
}

function readGrid({ grid }: Draft): { levels: Record<string, unknown[]>; issues: FieldIssue[] } {
  const issues: FieldIssue[] = [];
  const levels: Record<string, unknown[]> = {};
  for (const dimension of dimensionIds) {
    const expanded = grid[dimension].map((draft) => expandLevel(dimension, draft));
    for (const [i, { issues: found }] of expanded.entries()) {
      for (const { field, message } of found) issues.push({ field: `grid.${dimension}.${i}.${field}`, message });
    }
    if (expanded.length > 0) levels[dimension] = expanded.flatMap((one) => one.levels);
  }
  const corrections = expandCorrections(grid.correction);
  issues.push(...corrections.issues.map(({ field, message }) => ({ field: `grid.correction.${field}`, message })));
  if (corrections.levels.length > 0) levels["correction"] = corrections.levels;
  return { levels, issues };
}

type Environments = { specs: unknown[]; issues: FieldIssue[] };

function readEnvironments({ environments }: Draft): Environments {
  const found = environments.map((environment, i) => {
    const read = environment.parts ? readParts : readEnvironment;
    const { specs, issues } = read(environment, `environments.${i}`);
    return { specs: specs.map((spec) => ({ ...spec, ...environment.attached })), issues };
  });
  return { specs: found.flatMap(({ specs }) => specs), issues: found.flatMap(({ issues }) => issues) };
}

const partNumbers = [
  { key: "weight", problem: "a number from 0.001 to 1000", isValid: (x: number) => x >= 0.001 && x <= 1000 },
  { key: "iterations", problem: "a positive integer", isValid: (x: number) => Number.isInteger(x) && x >= 1 },
  { key: "success", problem: "a success rate from 0 to 1", isValid: (x: number) => x >= 0 && x <= 1 },
] as const;

/** Parses a mixture or curriculum as one environment, so each setting of its parts has a single value. */
function readParts({ id, parts = [] }: PlannedDraft, at: string): ReadEnvironment {
  const issues: FieldIssue[] = [];
  const names = parts.map((part) => part.name.trim() || part.environment.id);
  const list = parts.map((part, i) => {
    const field = `${at}.parts.${i}`;
    const first = names.indexOf(names[i] ?? "");
    if (first < i)
      issues.push({ field: `${field}.name`, message: `"${names[i]}" is also the name of part ${first + 1}` });
    const found = readEnvironment(part.environment, field);
    issues.push(...found.issues);
    if (found.specs.length > 1) {
      issues.push({
        field: `${field}.name`,
        message: "lists several values for a setting, but a part is a single environment: keep one value",
      });
    }
    const numbers = partNumbers.flatMap(({ key, problem, isValid }) => {
      const text = part[key].trim();
      if (text === "") return [];
      if (!isValid(Number(text)))
        issues.push({ field: `${field}.${key}`, message: `is "${text}", must be ${problem}` });
      return [[key, Number(text)] as const];
    });
    const { weight, ...until } = Object.fromEntries(numbers);
    return {
      ...(part.name.trim() !== "" && { name: part.name.trim() }),
      ...(id === "mixture" && weight !== undefined && { weight }),
      environment: found.specs[0],
      ...(id === "curriculum" && Object.keys(until).length > 0 && { until }),
    };
  });
  return { specs: [{ id, [id === "mixture" ? "parts" : "phases"]: list }], issues };
}

type ReadEnvironment = { specs: Record<string, unknown>[]; issues: FieldIssue[] };

/** Returns one specification per combination of listed values. `at`: form path of the errors. */
function readEnvironment({ id, values }: EnvironmentDraft, at: string): ReadEnvironment {
  const issues: FieldIssue[] = [];
  let specs: Record<string, unknown>[] = [{ id }];
  for (const field of fieldsOfEnvironment(id)) {
    const knob = field.path.slice("environment.".length);
    const parsed = parseValues(values[knob] ?? "", field);
    const problem = parsed.problem ?? findOutOfRange(parsed.values, field);
    if (problem) issues.push({ field: `${at}.${knob}`, message: problem });
    // The members of a set are one value, so they are not expanded.
    const options = field.kind === "set" && parsed.values.length > 0 ? [parsed.values] : parsed.values;
    if (options.length > 0) specs = specs.flatMap((spec) => options.map((value) => ({ ...setAt(spec, knob, value) })));
  }
  return { specs, issues };
}

function readElsewhere({ elsewhere }: Draft): { list: unknown[]; issues: FieldIssue[] } {
  const issues: FieldIssue[] = [];
  const list = elsewhere.flatMap(({ name, environment, ...counts }, i) => {
    const found = readEnvironment(environment, `elsewhere.${i}`);
    const numbers = (["numEpisodes", "every"] as const).flatMap((key) => {
      if (counts[key].trim() === "") return [];
      const value = Number(counts[key]);
      if (Number.isInteger(value) && value >= 1) return [[key, value]];
      issues.push({ field: `elsewhere.${i}.${key}`, message: `is "${counts[key]}", must be a positive integer` });
      return [];
    });
    issues.push(...found.issues);
    const rest = { ...(name.trim() !== "" && { name: name.trim() }), ...Object.fromEntries(numbers) };
    return found.specs.map((spec) => ({ ...rest, environment: spec }));
  });
  return { list, issues };
}

type Fields = { base: Record<string, unknown>; axes: Record<string, unknown[]>; issues: FieldIssue[] };

/** Parses fields: one value belongs to the base, several become an axis. Method and environment are always axes. */
function readFields(values: Draft["values"]): Fields {
  const issues: FieldIssue[] = [];
  const axes: Record<string, unknown[]> = {};
  const single: [path: string, value: unknown][] = [];
  for (const [path, text] of Object.entries(values)) {
    const field = fieldAt(path);
    const { values: parsed, problem } = field
      ? parseValues(text, field)
      : { values: text === "" ? [] : [text], problem: `"${path}" is no hyperparameter` };
    const wrong = problem ?? (field && findOutOfRange(parsed, field));
    if (wrong) issues.push({ field: `values.${path}`, message: wrong });
    const isOwnBase = !/^(method|environment)\./.test(path);
    if (parsed.length > 1 || (parsed.length === 1 && !isOwnBase)) axes[path] = parsed;
    // An axis within an optional object also needs a value in the base, so that the object exists.
    if (isOwnBase && (parsed.length === 1 || (parsed.length > 1 && field?.within))) single.push([path, parsed[0]]);
  }
  return { base: assemble(single), axes, issues };
}

/** Builds the base. A field that only some members of a union have also sets the union's kind. */
function assemble(single: readonly [path: string, value: unknown][]): Record<string, unknown> {
  const paths = single.map(([path]) => path);
  const asked = single.flatMap(([path]) => fieldAt(path)?.when ?? []).filter((when) => !paths.includes(when.path));
  const kinds = [...new Set(asked.map(({ path }) => path))].map((path): [string, unknown] => {
    const options = asked.filter((when) => when.path === path).map(({ values }) => values);
    const common = options[0]?.find((kind) => options.every((values) => values.includes(kind)));
    return [path, common ?? options[0]?.[0]];
  });
  const ordered = [
    ...kinds,
    ...single.toSorted(([a], [b]) => Number(b.endsWith(".kind")) - Number(a.endsWith(".kind"))),
  ];
  return ordered.reduce<Record<string, unknown>>((base, [path, value]) => ({ ...setAt(base, path, value) }), {});
}

/** Prefixes of the settings that, together with the environment, determine a run's memory. */
const asked = ["policy.", "execution.", "rollout."];

/** Returns only what determines a run's memory; undefined if the form names no model or this is invalid. */
export function probeModel(draft: Draft): Checked["valid"] {
  if (draft.values[modelPath] === undefined) return undefined;
  const isAsked = (path: string) => asked.some((prefix) => path.startsWith(prefix));
  const values = Object.fromEntries(Object.entries(draft.values).filter(([path]) => isAsked(path)));
  const { base, axes, environments } = checkDraft({ ...draft, values }).raw;
  const plan = { name: "a model", methods: ["grpo"], environments, base, axes, seeds: [0] };
  return checkPlan(plan, undefined).valid;
}
