import { contentHash } from "./canonical.ts";

/** Returns every leaf of a specification with its path. A list is a leaf; so is an origin's hashed specification. */
export function leavesOf(value: unknown, path: readonly string[] = []): [path: readonly string[], value: unknown][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [[path, value]];
  if (path.join(".") === "initialisation.origin") return [[path, contentHash(value)]];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...path, name]));
}
