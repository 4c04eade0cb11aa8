import { canonicalJson } from "#trainer/spec/canonical.ts";
import { methodNames, methodOf, type MethodName } from "#trainer/spec/method.ts";
import { MethodVariant, resolveMethod, type MethodChoice } from "#server/domain/plan/sweep/methodChoice.ts";
import { defaultEnvironment } from "#server/domain/plan/sweep/hyperparameters.ts";
import { draftEnvironment, type EnvironmentDraft } from "#app/_components/episode/environmentDraft.ts";
import {
  dimensionIds,
  emptyDraft,
  isEnvironmentId,
  nameAmong,
  type DimensionId,
  type Draft,
  type LevelDraft,
  type PartDraft,
  type PlannedDraft,
} from "./draft.ts";
import { splitList } from "#app/_components/splitList.ts";
import { draftCorrection, expandCorrections } from "./correctionDraft.ts";
import { fieldAt, fieldsOfEnvironment, fieldsWithin, optionalPartAt } from "./fields.ts";
import { defaultLevel, draftLevel, expandLevel } from "./levels.ts";

export function toggleMethod(draft: Draft, choice: MethodChoice): Draft {
  const rest = draft.methods.filter((other) => canonicalJson(other) !== canonicalJson(choice));
  return { ...draft, methods: rest.length < draft.methods.length ? rest : [...draft.methods, choice] };
}

/** Replaces the chosen published methods by the given ones; method variants stay chosen. */
export function setMethods(draft: Draft, names: readonly MethodName[]): Draft {
  return { ...draft, methods: [...names, ...draft.methods.filter((choice) => typeof choice !== "string")] };
}

export function toggleLevel(draft: Draft, dimension: DimensionId, kind: string): Draft {
  const rest = draft.grid[dimension].filter((level) => level.kind !== kind);
  const isTicked = rest.length < draft.grid[dimension].length;
  return setLevels(draft, dimension, isTicked ? rest : [...rest, defaultLevel(dimension, kind)]);
}

export function setLevels(draft: Draft, dimension: DimensionId, levels: LevelDraft[]): Draft {
  return { ...draft, grid: { ...draft.grid, [dimension]: levels } };
}

export function fillFrom(draft: Draft, name: MethodName): Draft {
  const method = methodOf(name);
  const grid = {
    aggregation: [draftLevel("aggregation", method.aggregation)],
    clipping: [draftLevel("clipping", method.clipping)],
    advantage: [draftLevel("advantage", method.advantage)],
    sampling: [draftLevel("sampling", method.sampling)],
    correction: method.correction ? [draftCorrection(method.correction)] : [],
  };
  return { ...draft, grid };
}

export function clearGrid(draft: Draft): Draft {
  return { ...draft, grid: emptyDraft().grid };
}

/** Returns the only combination of checked levels; undefined if there are none, several or invalid ones. */
export function onlyPoint(draft: Draft): Omit<MethodVariant, "name" | "from"> | undefined {
  const point: Record<string, unknown> = {};
  for (const dimension of dimensionIds) {
    const expanded = draft.grid[dimension].map((level) => expandLevel(dimension, level));
    if (expanded.some(({ issues }) => issues.length > 0)) return undefined;
    const levels = expanded.flatMap((one) => one.levels);
    if (levels.length > 1) return undefined;
    if (levels.length === 1) point[dimension] = levels[0];
  }
  const { levels, issues } = expandCorrections(draft.grid.correction);
  if (issues.length > 0 || levels.length > 1) return undefined;
  if (levels.length === 1) point["correction"] = levels[0];
  const parsed = MethodVariant.safeParse({ name: "point", ...point });
  if (!parsed.success || Object.keys(point).length === 0) return undefined;
  const { name: _, from: __, ...method } = parsed.data;
  return Object.fromEntries(Object.entries(method).filter(([, level]) => level !== undefined));
}

/** Moves the only combination of checked levels to the methods, under its published name if it has one. */
export function addPoint(draft: Draft, name: string): Draft {
  const point = onlyPoint(draft);
  if (!point) return draft;
  const text = canonicalJson(resolveMethod({ name, ...point }).method);
  const published = methodNames.find((known) => canonicalJson(methodOf(known)) === text);
  const choice = published ?? { name, from: "grpo" as const, ...point };
  return toggleMethod(clearGrid({ ...draft, methods: draft.methods.filter((other) => other !== choice) }), choice);
}

/** Sets a field's text; an empty text removes the field. A new kind removes the fields that it lacks. */
export function setValue(draft: Draft, path: string, text: string): Draft {
  const { [path]: _, ...others } = draft.values;
  const kinds = path.endsWith(".kind") ? splitList(text) : [];
  const fits = (name: string) => {
    const when = kinds.length > 0 ? fieldAt(name)?.when : undefined;
    return when?.path !== path || when.values.some((kind) => kinds.includes(kind));
  };
  const rest = Object.fromEntries(Object.entries(others).filter(([name]) => fits(name)));
  return { ...draft, values: text === "" ? rest : { ...rest, [path]: text } };
}

export function isPartOn({ values }: Draft, part: string): boolean {
  return fieldsWithin(part).some(({ path }) => values[path] !== undefined);
}

/** Gives an optional object's fields, such as `budget.split`, their initial values, or removes all values. */
export function switchPart(draft: Draft, part: string, isOn: boolean): Draft {
  const { start } = optionalPartAt(part);
  return fieldsWithin(part).reduce(
    (changed, { path }) => setValue(changed, path, isOn ? (start[path.slice(part.length + 1)] ?? "") : ""),
    draft,
  );
}

/** Combines the sweep's environments. If there is only one, the second is a harder variant of it. */
export function startSeveral(id: "mixture" | "curriculum", chosen: readonly PlannedDraft[]): PlannedDraft {
  const single = chosen.filter((one) => isEnvironmentId(one.id)).map(({ id, values }) => ({ id, values }));
  const [first = draftEnvironment(defaultEnvironment("sokoban"))] = single;
  const parts = (single.length > 1 ? single : [first, harder(first)]).reduce(addPart, []);
  const ended = parts.map((part, i) => ({ ...part, iterations: i < parts.length - 1 ? "50" : "" }));
  return { id, values: {}, parts: id === "mixture" ? parts : ended };
}

/** Names of settings that determine the size of an environment's tasks. */
const sizes = ["numBoxes", "numObjects", "catalogueSize", "rooms", "objects", "files", "maxLevel"];

/** Returns the environment with tasks of twice the size, within the maximum of each setting. */
function harder({ id, values }: EnvironmentDraft): EnvironmentDraft {
  const changed = fieldsOfEnvironment(id).flatMap((field): [string, string][] => {
    const knob = field.path.slice("environment.".length);
    const value = 2 * Number(values[knob]);
    if (field.kind !== "number" || !sizes.includes(knob) || Number.isNaN(value)) return [];
    return [[knob, String(Math.min(value, field.max ?? value))]];
  });
  return { id, values: { ...values, ...Object.fromEntries(changed) } };
}

export function addPart(parts: readonly PartDraft[], environment: EnvironmentDraft): PartDraft[] {
  const name = nameAmong(environment.id, parts);
  return [...parts, { name, weight: "1", iterations: "", success: "", environment }];
}
