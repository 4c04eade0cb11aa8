/** Every leaf of a specification with its path. Lists are leaves. */
export function leavesOf(value: unknown, path: readonly string[] = []): [path: readonly string[], value: unknown][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...path, name]));
}
