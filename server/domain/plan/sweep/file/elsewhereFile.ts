import { parse } from "yaml";
import type { z } from "zod";
import { ElsewhereList } from "#trainer/spec/elsewhere.ts";
import { badInput } from "#packages/base";
import { refuseValue } from "../problems.ts";

/** Parses a file of environments: one environment, or a list as in `evaluation.elsewhere`. Throws `bad_input`. */
export function parseElsewhere(text: string): z.infer<typeof ElsewhereList> {
  const value: unknown = readYaml(text);
  // A single environment is written as an object such as `{ id: sokoban, size: 7 }`.
  const isEnvironment = typeof value === "object" && value !== null && "id" in value;
  const listed = Array.isArray(value) ? value : [isEnvironment ? { environment: value } : value];
  const parsed = ElsewhereList.safeParse(listed, { reportInput: true });
  if (!parsed.success) throw refuseValue(parsed.error);
  return parsed.data;
}

function readYaml(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 10 });
  } catch (error) {
    throw badInput([{ path: "", message: error instanceof Error ? error.message : String(error) }]);
  }
}
