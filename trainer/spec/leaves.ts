import { contentHash } from "./canonical.ts";

/**
 * Every leaf of a specification with its path. Lists are leaves, and so is the specification of an origin, as its hash.
 */
export function leavesOf(value: unknown, path: readonly string[] = []): [path: readonly string[], value: unknown][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [[path, value]];
  if (path.join(".") === "initialisation.origin") return [[path, contentHash(value)]];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...path, name]));
}
