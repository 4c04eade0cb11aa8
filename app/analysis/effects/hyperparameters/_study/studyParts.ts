import type { inferRouterInputs } from "@trpc/server";
import type { AppRouter } from "#server/api/root.ts";
import { choicePart, optionPart, textPart } from "#app/_ui/address.ts";
import { type Coloring, colourings } from "./looks.ts";
import { isYesOrNo, methodForms } from "#server/domain/analysis/hyperparameters/prepareStudy.ts";
import type { RunScope } from "#server/domain/runs/table/scope.ts";

/** URL parameter for the outcome: `final.evaluation/successRate` or `collapsed`. Empty: the default. */
export const outcomePart = textPart("y");

export function columnsOf(outcome: string): string[] {
  return outcome === "" || isYesOrNo(outcome) ? [] : [outcome];
}

export type ImportanceAsked = inferRouterInputs<AppRouter>["runTable"]["importance"];

export const methodPart = choicePart("method", methodForms, "method");

export const coloringPart = optionPart<Coloring>("color", colourings, "result");

/** Parses the runs to analyse: sweeps (`?sweep=…&sweep=…`), ids (`?run=…,…`), or a filter (`?q=…`). May be empty. */
export function readScope(query: URLSearchParams): RunScope {
  const runIds = (query.get("run") ?? "").split(",").filter((id) => id !== "");
  if (runIds.length > 0) return { runIds };
  const filter = query.get("q");
  return filter === null || filter.trim() === "" ? { sweepIds: query.getAll("sweep") } : { filter };
}
