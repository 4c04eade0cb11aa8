import { existsSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import type { z } from "zod";
import { AppError } from "#packages/base";

/** Reads a YAML configuration file and validates it; undefined if there is none. Errors name file and position. */
export function readYamlFile<S extends z.ZodType>(path: string, schema: S): z.output<S> | undefined {
  if (!existsSync(path)) return undefined;
  const parsed = schema.safeParse(parseText(path));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join(".") || "file"}: ${issue.message}`);
  throw new AppError("bad_input", `${path}: ${problems.join("; ")}`);
}

function parseText(path: string): unknown {
  try {
    // Nested aliases could expand without bound.
    return parse(readFileSync(path, "utf8"), { maxAliasCount: 100 });
  } catch (cause) {
    throw new AppError("bad_input", `${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
