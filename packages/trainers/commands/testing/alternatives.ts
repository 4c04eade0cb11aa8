import { z } from "zod";
import { RunSpec } from "#trainer/spec/run.ts";

function withValue(value: unknown, [name, ...rest]: readonly string[], changed: unknown): unknown {
  if (name === undefined) return changed;
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, key === name ? withValue(inner, rest, changed) : inner]),
  );
}

const schema = z.toJSONSchema(RunSpec);

/** Returns the words (enum values) that the schema of specifications allows at a path. */
function textsAt(part: unknown, path: readonly string[]): string[] {
  const [name, ...rest] = path;
  if (typeof part !== "object" || part === null) return [];
  const found = Object.entries(part).flatMap(([key, inner]): string[] => {
    if (key === "anyOf" || key === "oneOf") return Object.values(inner).flatMap((one) => textsAt(one, path));
    if (name !== undefined)
      return key === "properties" ? textsAt(Object.entries(inner).find(([own]) => own === name)?.[1], rest) : [];
    if (key === "enum" && Array.isArray(inner)) return inner.filter((one) => typeof one === "string");
    return key === "const" && typeof inner === "string" ? [inner] : [];
  });
  return [...new Set(found)];
}

/** Returns up to `most` valid specifications in which the value at one path is changed. */
export function alternativesOf(spec: RunSpec, [path, value]: [readonly string[], unknown], most = 3): RunSpec[] {
  const valid: RunSpec[] = [];
  for (const candidate of candidatesFor(path, value)) {
    if (valid.length === most) break;
    if (JSON.stringify(candidate) === JSON.stringify(value)) continue;
    const changed = RunSpec.safeParse(withValue(spec, path, candidate));
    if (changed.success) valid.push(changed.data);
  }
  return valid;
}

function candidatesFor(path: readonly string[], value: unknown): unknown[] {
  if (typeof value === "number") return [value * 2, value + 1, value / 2, value - 1, 0.5, 0.25, 3, 1, 0];
  if (typeof value === "boolean") return [!value];
  if (Array.isArray(value)) return [value.slice(1)];
  return [...(value === null ? [0.75, 7] : []), ...textsAt(schema, path)];
}
