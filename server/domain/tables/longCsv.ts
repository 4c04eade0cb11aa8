import { describeMetric } from "#trainer/spec/metric.ts";
import { beforeTraining, best, finalWindow, last } from "../statistics/curve.ts";
import { toCsvText, type CsvValue } from "./csv.ts";
import { isImported } from "../import/storedSpec.ts";
import { placeCells, type PlacedCell, type RunCurve, type TableInput } from "./input.ts";

const header = [
  "env",
  "subtask",
  "method",
  "agg",
  "clip",
  "adv",
  "filter",
  "setting",
  "seed",
  "n_eval",
  "checkpoint_rule",
  "metric",
  "value",
  "run",
  "plan",
];

/**
 * One line per run and rule, the form that other tools read: every number of the tables can be recomputed from it.
 * Rules: `before` (iteration 0), `final-window`, `best` (selected on the same data), `last`.
 */
export function toLongCsv(input: TableInput): string {
  const direction = describeMetric(input.metric).better === "down" ? "down" : "up";
  const lines = placeCells(input).flatMap((cell) =>
    cell.curves.flatMap((curve) => {
      const window = finalWindow(curve);
      const rules: [rule: string, numEvaluations: number, value: number][] = [
        ["before", 1, beforeTraining(curve)],
        ["final-window", window.numEvaluations, window.value],
        ["best", 1, best(curve, direction).value],
        ["last", 1, last(curve).value],
      ];
      return rules.map(([rule, count, value]) => [
        ...describe(cell, curve),
        Number.isNaN(value) ? 0 : count,
        rule,
        input.metric,
        value,
        curve.runId,
        input.planHash ?? null,
      ]);
    }),
  );
  return toCsvText([header, ...lines]);
}

function describe({ method, environment, axes, spec }: PlacedCell, { seed }: RunCurve): CsvValue[] {
  if (isImported(spec)) return [environment, "all", method, null, null, null, null, axes, seed];
  const { aggregation, clipping, advantage, sampling } = spec.method;
  const masked = "sequenceMask" in clipping && clipping.sequenceMask !== null;
  const clip = masked ? `${clipping.kind}+mask` : clipping.kind;
  return [environment, "all", method, aggregation, clip, advantage.kind, sampling.kind, axes, seed];
}
