import { contentHash } from "./canonical.ts";

/**
 * Every leaf of a specification with its path. A list counts as one leaf. The specification of an origin is one leaf
 * too, represented by its hash.
 */
export function leavesOf(value: unknown, path: readonly string[] = []): [path: readonly string[], value: unknown][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [[path, value]];
  if (path.join(".") === "initialisation.origin") return [[path, contentHash(value)]];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...path, name]));
}
