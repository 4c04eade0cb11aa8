import { parse } from "yaml";
import type { z } from "zod";
import { ElsewhereList } from "#trainer/spec/elsewhere.ts";
import { badInput } from "#packages/base";
import { explainIssue, formatPath } from "./problems.ts";

/** Parses a file of environments: one environment, or a list as in `evaluation.elsewhere`. Throws `bad_input`. */
export function parseElsewhere(text: string): z.infer<typeof ElsewhereList> {
  const value: unknown = readYaml(text);
  const listed = Array.isArray(value) ? value : [isEnvironment(value) ? { environment: value } : value];
  const parsed = ElsewhereList.safeParse(listed, { reportInput: true });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap(explainIssue);
  throw badInput(problems.map(({ path, message }) => ({ path: formatPath(path), message })));
}

function readYaml(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 10 });
  } catch (error) {
    throw badInput([{ path: "", message: error instanceof Error ? error.message : String(error) }]);
  }
}

/** Returns true for a single environment such as `{ id: sokoban, size: 7 }`. */
function isEnvironment(value: unknown): boolean {
  return typeof value === "object" && value !== null && "id" in value;
}
