import { z } from "zod";
import { methodNames, methods } from "#trainer/spec/method.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import type { InputIssue } from "#server/domain/errors.ts";
import { closeMatches } from "./closeMatches.ts";
import { hyperparameters } from "./hyperparameters.ts";
import { readAt } from "./path.ts";

const Value = z.union([z.number(), z.string().max(100), z.boolean(), z.null()]);

/**
 * What must hold of a cell, all of it: dotted path into CellSpec → the value, or the values that are as good. `method`
 * is the method's name.
 */
export const Condition = z
  .record(z.string(), z.union([Value, z.array(Value).min(1)]))
  .refine((condition) => Object.keys(condition).length > 0, { error: "is empty: it would hold of every cell" });
export type Condition = z.infer<typeof Condition>;

/** Whether a condition holds. A path that the cell does not have is no value at all. */
export function holds(condition: Condition, spec: CellSpec, label: string): boolean {
  return Object.entries(condition).every(([path, wanted]) => {
    const all: readonly unknown[] = Array.isArray(wanted) ? wanted : [wanted];
    if (path === "method") return all.some((name) => isMethod(String(name), label));
    return all.includes(readAt(spec, path));
  });
}

/** By its name in files (`grpoSt`) or as legends print it (`GRPO_ST`). */
export function isMethod(name: string, label: string): boolean {
  const known = methodNames.find((candidate) => candidate === name);
  return label === name || (known !== undefined && methods[known].title === label);
}

/** Paths that no cell of any sweep has. */
export function checkCondition(condition: Condition, at: string): InputIssue[] {
  const known = ["method", ...hyperparameters().map(({ path }) => path), "environment.id", "initialisation.kind"];
  return Object.keys(condition)
    .filter((path) => !known.includes(path) && !/^(trainer|method)\./.test(path))
    .map((path) => {
      const close = closeMatches(path, known);
      const hint = close.length > 0 ? `; did you mean ${close.join(" or ")}?` : "";
      return { path: at, message: `"${path}" is no field of a cell${hint}` };
    });
}
