import { contentHash } from "./canonical.ts";

/**
 * Returns every leaf value of a specification with its path. A list counts as one leaf. So does an origin run's
 * specification, represented by its hash.
 */
export function leavesOf(value: unknown, path: readonly string[] = []): [path: readonly string[], value: unknown][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [[path, value]];
  if (path.join(".") === "initialisation.origin") return [[path, contentHash(value)]];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...path, name]));
}
