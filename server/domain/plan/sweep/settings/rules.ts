import { z } from "zod";
import { methodNames, methods } from "#trainer/spec/method.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import { type InputIssue, readAt } from "#packages/base";
import { closeMatches } from "../closeMatches.ts";
import { hyperparameters } from "./hyperparameters.ts";

const Value = z.union([z.number(), z.string().max(100), z.boolean(), z.null()]);

/**
 * Condition on a cell. The condition maps a dotted path in CellSpec to the required value, or to a list of allowed
 * values; all entries must match. `method` is the method's name.
 */
export const Condition = z
  .record(z.string(), z.union([Value, z.array(Value).min(1)]))
  .refine((condition) => Object.keys(condition).length > 0, { error: "is empty and would match every cell" });
export type Condition = z.infer<typeof Condition>;

/** Returns true if a cell satisfies the condition. A path that the cell does not have never matches. */
export function holds(condition: Condition, spec: CellSpec, label: string): boolean {
  return Object.entries(condition).every(([path, wanted]) => {
    const all: readonly unknown[] = Array.isArray(wanted) ? wanted : [wanted];
    if (path === "method") return all.some((name) => isMethod(String(name), label));
    return all.includes(readAt(spec, path));
  });
}

/** Returns true if a name is the method's name in files (`grpoSt`) or its label in legends (`GRPO_ST`). */
export function isMethod(name: string, label: string): boolean {
  const known = methodNames.find((candidate) => candidate === name);
  return label === name || (known !== undefined && methods[known].title === label);
}

export function checkCondition(condition: Condition, at: string): InputIssue[] {
  const known = ["method", ...hyperparameters().map(({ path }) => path), "environment.id", "initialisation.kind"];
  return Object.keys(condition)
    .filter((path) => !known.includes(path) && !/^(trainer|method)\./.test(path))
    .map((path) => {
      const close = closeMatches(path, known);
      const hint = close.length > 0 ? `; did you mean ${close.join(" or ")}?` : "";
      return { path: at, message: `"${path}" is not a field of a cell${hint}` };
    });
}
