import { Correction, Rejection } from "#trainer/spec/correctionSchema.ts";
import { PlannedEnvironment } from "./settings/plannedEnvironment.ts";
import { isTree, type Tree } from "#packages/base";
import type { Problem } from "./problems.ts";
import { environmentFields, fieldsOf, hyperparameters, type Hyperparameter } from "./settings/hyperparameters.ts";

type Keys = readonly PropertyKey[];
/** Determines if the setting at a dotted path within an item has a single value. */
type IsSingle = (path: string) => boolean;

/** Maximum number of combinations that the lists of one item may make. */
const maxCombinations = 100;

/** Lists of a plan whose items may list values, such as `high: [0.2, 0.28]`; each has its items' single settings. */
const places: readonly { at: readonly string[]; isSingleOf: (item: Tree) => IsSingle }[] = [
  ...["clipping", "advantage", "sampling"].map((dimension) => ({
    at: ["grid", dimension],
    isSingleOf: () => among(hyperparameters(), `method.${dimension}.`),
  })),
  { at: ["grid", "correction"], isSingleOf: () => among(correctionFields(), "") },
  { at: ["environments"], isSingleOf: singleOfEnvironment },
  {
    at: ["base", "evaluation", "elsewhere"],
    isSingleOf: ({ environment }) => {
      const isSingle = isTree(environment) ? singleOfEnvironment(environment) : () => false;
      return (path) => path.startsWith("environment.") && isSingle(path.slice("environment.".length));
    },
  },
];

let known: readonly Hyperparameter[] | undefined;
const correctionFields = () => (known ??= [...fieldsOf(Correction, ""), ...fieldsOf(Rejection, "reject")]);

function singleOfEnvironment({ id }: Tree): IsSingle {
  const known = PlannedEnvironment.options.map(({ shape }) => shape.id.value).find((name) => name === id);
  return known === undefined ? () => false : among(environmentFields(known), "environment.");
}

function among(fields: readonly Hyperparameter[], prefix: string): IsSingle {
  const paths = new Set(fields.flatMap(({ kind, path }) => (kind === "set" ? [] : [path])));
  return (path) => paths.has(`${prefix}${path}`);
}

/**
 * Replaces each item that lists values for a setting by one item per combination, the last setting fastest. `sourceOf`
 * maps a path in the result to its path in the given plan.
 */
export function expandListed(plan: unknown): { plan: unknown; sourceOf: (path: Keys) => Keys; problems: Problem[] } {
  const problems: Problem[] = [];
  const sources = new Map<string, number[]>();
  const expanded = places.reduce<unknown>(
    (whole, { at, isSingleOf }) =>
      change(whole, at, (list) => {
        const items = list.map((item, i) => {
          const isSingle = isTree(item) ? isSingleOf(item) : () => false;
          const count = countCombinations(item, isSingle);
          if (count <= maxCombinations) return combine(item, isSingle);
          const message = `lists ${count.toLocaleString("en-US")} combinations of values, limit is ${maxCombinations}`;
          problems.push({ path: [...at, i], message });
          return [item];
        });
        const source = items.flatMap((made, i) => made.map(() => i));
        sources.set(at.join("."), source);
        return source.length === list.length ? list : items.flat();
      }),
    plan,
  );
  const sourceOf = (path: Keys) => {
    const place = places.find(({ at }) => at.every((key, i) => path[i] === key));
    const index = place && path[place.at.length];
    if (!place || typeof index !== "number") return path;
    return path.with(place.at.length, sources.get(place.at.join("."))?.[index] ?? index);
  };
  return { plan: expanded, sourceOf, problems };
}

/** Returns one item per combination of the values that it lists for single settings. */
export function expandItem(dimension: "clipping" | "advantage" | "sampling" | "correction", item: unknown): unknown[] {
  const place = places.find(({ at }) => at[1] === dimension);
  return place && isTree(item) ? combine(item, place.isSingleOf(item)) : [item];
}

function change(node: unknown, at: readonly string[], edit: (list: readonly unknown[]) => unknown): unknown {
  const [key, ...rest] = at;
  if (key === undefined) return Array.isArray(node) ? edit(node) : node;
  if (!isTree(node) || !Object.hasOwn(node, key)) return node;
  return { ...node, [key]: change(node[key], rest, edit) };
}

function countCombinations(value: unknown, isSingle: IsSingle, path = ""): number {
  if (Array.isArray(value) && isSingle(path)) return Math.max(1, value.length);
  return childrenOf(value, path).reduce((count, [, child, at]) => count * countCombinations(child, isSingle, at), 1);
}

function combine(value: unknown, isSingle: IsSingle, path = ""): unknown[] {
  if (Array.isArray(value) && isSingle(path)) return value.length === 0 ? [value] : value;
  const children = childrenOf(value, path).map(([key, child, at]) => ({ key, all: combine(child, isSingle, at) }));
  if (children.every(({ all }) => all.length === 1)) return [value];
  const start: (readonly [string, unknown])[][] = [[]];
  const rows = children.reduce(
    (made, { key, all }) => made.flatMap((row) => all.map((one) => [...row, [key, one] as const])),
    start,
  );
  return rows.map((row) => (Array.isArray(value) ? row.map(([, one]) => one) : Object.fromEntries(row)));
}

/** Returns the children of a map or list, each with its key and its path; items of a list have the list's path. */
function childrenOf(value: unknown, path: string): [key: string, child: unknown, path: string][] {
  if (Array.isArray(value)) return value.map((item: unknown, i) => [String(i), item, path]);
  if (!isTree(value)) return [];
  return Object.entries(value).map(([key, child]) => [key, child, path === "" ? key : `${path}.${key}`]);
}
