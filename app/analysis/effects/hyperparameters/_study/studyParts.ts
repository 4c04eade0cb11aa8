import type { inferRouterInputs } from "@trpc/server";
import type { AppRouter } from "#server/api/root.ts";
import { choicePart, textPart } from "#app/_ui/address.ts";
import { type Coloring, colourings } from "./looks.ts";
import { isYesOrNo, methodForms } from "#server/domain/analysis/hyperparameters/prepareStudy.ts";
import type { RunScope } from "#server/domain/runs/table/scope.ts";

/** Outcome in the URL, a column key: `final.evaluation/successRate`, or `collapsed`. Empty: the default. */
export const outcomePart = textPart("y");

/** Returns the columns of the run table that an outcome requires. */
export function columnsOf(outcome: string): string[] {
  return outcome === "" || isYesOrNo(outcome) ? [] : [outcome];
}

/** Input of requests for figures that the server computes. */
export type ImportanceAsked = inferRouterInputs<AppRouter>["runTable"]["importance"];

export const methodPart = choicePart("method", methodForms, "method");

export const coloringPart = choicePart<Coloring>(
  "color",
  colourings.map(({ value }) => value),
  "result",
);

/**
 * Reads the page's runs: `?sweep=…&sweep=…`, `?run=…,…` (selected in the run table), or `?q=…` (its filter). If empty,
 * the page chooses a sweep.
 */
export function readScope(query: URLSearchParams): RunScope {
  const runIds = (query.get("run") ?? "").split(",").filter((id) => id !== "");
  if (runIds.length > 0) return { runIds };
  const filter = query.get("q");
  return filter === null || filter.trim() === "" ? { sweepIds: query.getAll("sweep") } : { filter };
}
