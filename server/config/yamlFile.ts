import { existsSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import type { z } from "zod";
import { AppError } from "#server/domain/errors.ts";

/** A configuration file in YAML, checked against its schema; undefined when there is none. Problems name file and place. */
export function readYamlFile<S extends z.ZodType>(path: string, schema: S): z.output<S> | undefined {
  if (!existsSync(path)) return undefined;
  const parsed = schema.safeParse(parseText(path));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join(".") || "file"}: ${issue.message}`);
  throw new AppError("bad_input", `${path}: ${problems.join("; ")}`);
}

function parseText(path: string): unknown {
  try {
    // A document of aliases of aliases unfolds without end.
    return parse(readFileSync(path, "utf8"), { maxAliasCount: 100 });
  } catch (cause) {
    throw new AppError("bad_input", `${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
