import type { Outcome } from "../search/trial.ts";
import { formatCount } from "#packages/base";
import type { SearchPlan } from "./searchPlan.ts";

/** Reason why an arm needs no further trial, judged by its fully trained trials; undefined otherwise. */
export function endsSearch(
  { until }: Pick<SearchPlan, "until">,
  trials: readonly { number: number; outcome?: Outcome | null }[],
): string | undefined {
  if (until === undefined) return undefined;
  for (const { number, outcome } of trials) {
    if (outcome?.kind !== "measured" || outcome.spread === undefined || outcome.spread > until.spread) continue;
    const spread = Number(outcome.spread.toPrecision(3));
    return `trial ${number} varies by ${spread} over its last fifth, at most ${until.spread} is asked`;
  }
  return undefined;
}

/** Resources used by the runs of a search. */
export type SearchUse = { runs: number; iterations: number; hours: number };

type CostOfTrial = { runs: number; iterations: number; slotMs: number };

export function sumUse(costs: readonly CostOfTrial[]): SearchUse {
  const sum = (of: (cost: CostOfTrial) => number) => costs.reduce((total, cost) => total + of(cost), 0);
  return {
    runs: sum(({ runs }) => runs),
    iterations: sum(({ iterations }) => iterations),
    hours: sum(({ slotMs }) => slotMs) / 3_600_000,
  };
}

/** The exhausted part of a search's budget; undefined while every part has some left. */
export function describeSpent({ budget }: Pick<SearchPlan, "budget">, used: SearchUse): string | undefined {
  const { runs = Infinity, iterations = Infinity, hours = Infinity } = budget ?? {};
  if (used.runs >= runs) return `the budget of ${formatCount(runs, "run")} is spent: ${used.runs} were begun`;
  if (used.iterations >= iterations) {
    return `the budget of ${formatCount(iterations, "iteration")} is spent: ${used.iterations} were trained`;
  }
  if (used.hours < hours) return undefined;
  return `the budget of ${formatCount(hours, "slot-hour")} is spent: ${Number(used.hours.toPrecision(3))} were used`;
}
