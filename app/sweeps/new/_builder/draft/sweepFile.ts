import { isTree, type Tree } from "#packages/base";
import type { DimensionId } from "#server/domain/plan/sweep/methods/dimensionTexts.ts";
import { MethodChoice, resolveMethod } from "#server/domain/plan/sweep/methods/methodChoice.ts";
import { environments, type EnvironmentId } from "#trainer/spec/environment.ts";
import { nameOfEnvironment, titleOfEnvironment } from "#trainer/spec/environmentTexts.ts";

/** A map of the sweep file, with any contents: text that could not be read as a value is there as it was typed. */
export type Part = Tree;
/** Keys and indices from the root of the sweep file. A field of the form is named by its path, joined by dots. */
export type Path = readonly (string | number)[];

export const dimensionIds = ["aggregation", "clipping", "advantage", "sampling"] as const satisfies DimensionId[];

/** Contents of the form before anything is chosen. With fewer seeds, the form says that they show too little. */
export const emptyFile: Part = { methods: [], environments: [{ id: "sokoban" }], seeds: [0, 1, 2, 3, 4] };

export { isTree as isPart };

export function readIn(node: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => {
    if (Array.isArray(at)) return at[Number(key)];
    return isTree(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }, node);
}

/** Sets the value at a path; undefined removes it, and each map that has nothing else. */
export function setIn(part: Part, path: Path, value: unknown): Part {
  const changed = replace(part, path, value);
  return isTree(changed) ? changed : {};
}

function replace(node: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  const child = replace(readIn(node, [key]), rest, value);
  if (Array.isArray(node)) return child === undefined ? node.toSpliced(Number(key), 1) : node.with(Number(key), child);
  const before = isTree(node) ? node : {};
  if (child !== undefined) return { ...before, [key]: child };
  const { [key]: _, ...others } = before;
  return Object.keys(others).length > 0 ? others : undefined;
}

export function listIn(node: unknown, path: Path): readonly unknown[] {
  const list = readIn(node, path);
  return Array.isArray(list) ? list : [];
}

/** Returns the maps of a list; any other item is an empty map, so that indices stay. */
export function partsIn(node: unknown, path: Path): Part[] {
  return listIn(node, path).map((item) => (isTree(item) ? item : {}));
}

/** Returns a text of the file, also if YAML reads it as a number; empty if there is none. */
export function textIn(node: unknown, path: Path): string {
  const value = readIn(node, path);
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** Returns the chosen methods that can be resolved; others are named among the problems. */
export function methodsIn(file: Part): MethodChoice[] {
  return listIn(file, ["methods"]).flatMap((choice) => MethodChoice.safeParse(choice).data ?? []);
}

export function hasGrid(file: Part): boolean {
  return [...dimensionIds, "correction"].some((dimension) => listIn(file, ["grid", dimension]).length > 0);
}

/** Environments of a mixture or a curriculum stand in `parts` or `phases`. */
export function partsKeyOf({ id }: Part): "parts" | "phases" | undefined {
  if (id === "mixture") return "parts";
  return id === "curriculum" ? "phases" : undefined;
}

/** Returns an environment without the settings that only its runs have. */
export function taskIn(environment: Part): Part {
  const attached = ["base", "methods", "search"];
  return Object.fromEntries(Object.entries(environment).filter(([key]) => !attached.includes(key)));
}

/** Returns an environment's title; a custom task has the title that the user typed. */
export function titleOf(environment: Part): string {
  const id = textIn(environment, ["id"]);
  const title = textIn(environment, ["title"]) || "Your own task";
  return titleOfEnvironment(nameOfEnvironment({ id, ...(id === "custom" && { title }) }));
}

/** Returns the name of a part, a phase or an evaluation elsewhere; without one, it is its environment's id. */
export function nameOfPart(part: Part): string {
  return textIn(part, ["name"]).trim() || textIn(part, ["environment", "id"]);
}

/** Returns a free name: "sokoban", "sokoban-2". */
export function nameAmong(id: string, taken: readonly Part[]): string {
  const names = new Set(taken.map(nameOfPart));
  let name = id;
  for (let number = 2; names.has(name); number++) name = `${id}-${number}`;
  return name;
}

export function isEnvironmentId(id: unknown): id is EnvironmentId {
  return typeof id === "string" && Object.hasOwn(environments, id);
}

/** Returns a default name for the sweep, such as "GRPO, GSPO on Sokoban"; empty if no method is chosen yet. */
export function suggestName(file: Part): string {
  const labels = methodsIn(file).map((choice) => resolveMethod(choice).label);
  const named = labels.length > 4 ? [...labels.slice(0, 3), `${labels.length - 3} more`] : labels;
  const what = [...named, ...(hasGrid(file) ? ["grid"] : [])].join(", ");
  const where = [...new Set(partsIn(file, ["environments"]).map(titleOf))];
  return what === "" ? "" : `${what} on ${where.join(", ")}`.slice(0, 100);
}
