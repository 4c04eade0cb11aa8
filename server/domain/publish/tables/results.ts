import { formatCount } from "#packages/base";
import type { Answered } from "#server/domain/analysis/answer.ts";
import type { Facts, Parts } from "#server/domain/analysis/facts.ts";
import { collapseMetrics, judgeByCurves } from "./builder/collapses.ts";
import { toBuilderInput } from "./builder/input.ts";
import { toPresetLongCsv } from "./builder/longCsv.ts";
import { stabilityMetrics } from "./builder/presetPanels.ts";
import { buildPreset, isTaskMetric } from "./builder/presets.ts";
import type { FixedKind } from "./query.ts";

type ResultFacts = Facts &
  Pick<Parts, "configurations" | "metrics" | "missingMetrics"> &
  Partial<Pick<Parts, "collapses">>;
type Options = { metric: string };

const ofResults = (kind: FixedKind) => ({
  readings: ({ metrics }: ResultFacts, { metric }: Options) => [
    ...new Set([metric, ...metrics.keys.filter(isTaskMetric)]),
  ],
  answer: (facts: ResultFacts, { metric }: Options) => ({ ...buildResults(kind, facts, metric), proved: { metric } }),
});

/** Answers about final results: preset tables of the table builder. */
export const results = {
  final: ofResults("final"),
  beforeAfter: ofResults("beforeAfter"),
  tasks: ofResults("tasks"),
  stability: {
    curves: ({ runs, collapses }: ResultFacts) =>
      collapses ? [] : [{ runIds: runs.map(({ run }) => run.id), keys: Object.values(collapseMetrics) }],
    readings: (_: ResultFacts, { metric }: Options) => [...new Set([metric, ...Object.values(stabilityMetrics)])],
    answer: (facts: ResultFacts, { metric }: Options) => ({
      ...buildResults("stability", { ...facts, collapses: facts.collapses ?? judgeByCurves(facts) }, metric),
      proved: { metric, ...(facts.collapses && { collapses: "hindsight" }) },
    }),
  },
};

function buildResults(kind: FixedKind, facts: ResultFacts, metric: string): Answered {
  const input = toBuilderInput(facts, facts.collapses);
  const table = buildPreset(kind, input, metric);
  return {
    table: { ...table, notes: [...table.notes, ...noteMissing(facts)] },
    longCsv: toPresetLongCsv(input, metric),
  };
}

/** Returns a table's notes on metrics that plans name and that runs did not log. */
export function noteMissing({ missingMetrics }: Pick<Parts, "missingMetrics">): string[] {
  return missingMetrics.map(({ text, numRuns }) => `${formatCount(numRuns, "run")}: ${text}.`);
}
