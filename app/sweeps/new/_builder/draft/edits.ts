import { canonicalJson } from "#trainer/spec/canonical.ts";
import { methodNames, methodOf, type MethodName } from "#trainer/spec/method.ts";
import { defaultEnvironment, type Hyperparameter } from "#server/domain/plan/sweep/settings/hyperparameters.ts";
import { expandItem } from "#server/domain/plan/sweep/listed.ts";
import { MethodVariant, resolveMethod, type MethodChoice } from "#server/domain/plan/sweep/methods/methodChoice.ts";
import { fieldsOfEnvironment, keysInEnvironment } from "./fields.ts";
import { levelsIn } from "./levels.ts";
import { dimensionIds, isEnvironmentId, listIn, nameAmong, readIn, setIn, taskIn, type Part } from "./sweepFile.ts";

export function toggleMethod(file: Part, choice: MethodChoice): Part {
  const chosen = listIn(file, ["methods"]);
  const rest = chosen.filter((other) => canonicalJson(other) !== canonicalJson(choice));
  return { ...file, methods: rest.length < chosen.length ? rest : [...chosen, choice] };
}

/** Replaces the chosen published methods by the given ones; method variants stay chosen. */
export function setMethods(file: Part, names: readonly MethodName[]): Part {
  return { ...file, methods: [...names, ...listIn(file, ["methods"]).filter((choice) => typeof choice !== "string")] };
}

/** Returns the only combination of checked levels; undefined if there are none, several or invalid ones. */
export function onlyPoint(file: Part): Omit<MethodVariant, "name" | "from"> | undefined {
  const point: Record<string, unknown> = {};
  for (const dimension of [...dimensionIds, "correction"] as const) {
    const ticked = levelsIn(file, dimension);
    const levels = dimension === "aggregation" ? ticked : ticked.flatMap((level) => expandItem(dimension, level));
    if (levels.length > 1) return undefined;
    if (levels.length === 1) point[dimension] = levels[0];
  }
  const parsed = MethodVariant.safeParse({ name: "point", ...point });
  if (!parsed.success || Object.keys(point).length === 0) return undefined;
  const { name: _, from: __, ...method } = parsed.data;
  return Object.fromEntries(Object.entries(method).filter(([, level]) => level !== undefined));
}

/** Moves the only combination of checked levels to the methods, under its published name if it has one. */
export function addPoint(file: Part, name: string): Part {
  const point = onlyPoint(file);
  if (!point) return file;
  const text = canonicalJson(resolveMethod({ name, ...point }).method);
  const published = methodNames.find((known) => canonicalJson(methodOf(known)) === text);
  const choice = published ?? { name, from: "grpo" as const, ...point };
  const others = listIn(file, ["methods"]).filter((other) => other !== choice);
  return toggleMethod(setIn({ ...file, methods: others }, ["grid"], undefined), choice);
}

/** Combines the sweep's environments. If there is only one, the second is a harder variant of it. */
export function startSeveral(id: "mixture" | "curriculum", chosen: readonly Part[]): Part {
  const single = chosen.filter((one) => isEnvironmentId(one["id"])).map(taskIn);
  const [first = { id: "sokoban" }] = single;
  const kind = id === "mixture" ? "parts" : "phases";
  const parts = (single.length > 1 ? single : [first, harder(first)]).reduce<Part[]>(
    (list, environment) => addPart(list, kind, environment),
    [],
  );
  return { id, [kind]: parts };
}

/** Names of settings that determine the size of an environment's tasks. */
const sizes = ["numBoxes", "numObjects", "catalogueSize", "rooms", "objects", "files", "maxLevel"];

/** Returns the environment with tasks of twice the size, within the maximum of each setting. */
function harder(environment: Part): Part {
  const { id } = environment;
  const usual: Part = isEnvironmentId(id) ? { ...defaultEnvironment(id) } : {};
  return fieldsOfEnvironment(id).reduce((changed, field) => {
    const value = twice(readIn({ ...usual, ...environment }, keysInEnvironment(field)), field);
    return value === undefined ? changed : setIn(changed, keysInEnvironment(field), value);
  }, environment);
}

function twice(value: unknown, field: Hyperparameter): number | undefined {
  if (field.kind !== "number" || !sizes.includes(keysInEnvironment(field).join("."))) return undefined;
  return typeof value === "number" ? Math.min(2 * value, field.max ?? Infinity) : undefined;
}

/** Adds a part to a mixture, or a phase to a curriculum, whose last phase so far then gets an end. */
export function addPart(parts: readonly Part[], kind: "parts" | "phases", environment: Part): Part[] {
  const name = nameAmong(String(environment["id"]), parts);
  if (kind === "parts") return [...parts, { name, weight: 1, environment }];
  const ended = parts.map((part, i) =>
    i === parts.length - 1 && !part["until"] ? { ...part, until: { iterations: 50 } } : part,
  );
  return [...ended, { name, environment }];
}

/** Removes a part or a phase. The last phase of a curriculum has no end. */
export function removePart(parts: readonly Part[], i: number): Part[] {
  const left = parts.toSpliced(i, 1);
  return left.map((part, k) => (k === left.length - 1 ? setIn(part, ["until"], undefined) : part));
}
