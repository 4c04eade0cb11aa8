import { z } from "zod";
import { RunSpec } from "#trainer/spec/run.ts";

/** Copy of a specification with another value at a path. */
function withValue(value: unknown, [name, ...rest]: readonly string[], changed: unknown): unknown {
  if (name === undefined) return changed;
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, key === name ? withValue(inner, rest, changed) : inner]),
  );
}

const texts = collectTexts(z.toJSONSchema(RunSpec));

function collectTexts(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const found = Object.entries(schema).flatMap(([key, inner]) =>
    key === "enum" && Array.isArray(inner)
      ? inner.filter((one) => typeof one === "string")
      : key === "const" && typeof inner === "string"
        ? [inner]
        : collectTexts(inner),
  );
  return [...new Set(found)];
}

/** All valid specifications with one leaf changed, at most `most`. */
export function alternativesOf(spec: RunSpec, [path, value]: [readonly string[], unknown], most = 3): RunSpec[] {
  return candidatesFor(value)
    .filter((candidate) => JSON.stringify(candidate) !== JSON.stringify(value))
    .flatMap((candidate) => {
      const changed = RunSpec.safeParse(withValue(spec, path, candidate));
      return changed.success ? [changed.data] : [];
    })
    .slice(0, most);
}

function candidatesFor(value: unknown): unknown[] {
  if (typeof value === "number") return [value * 2, value + 1, value / 2, value - 1, 0.5, 0.25, 3, 1, 0];
  if (typeof value === "boolean") return [!value];
  if (Array.isArray(value)) return [value.slice(1)];
  if (value === null) return [0.75, 7, ...texts];
  return texts;
}
