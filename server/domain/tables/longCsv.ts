import { describeMetric } from "#trainer/spec/metric.ts";
import { beforeTraining, best, finalWindow, last } from "../statistics/curve.ts";
import { toCsvText, type CsvValue } from "./csv.ts";
import { isImported, type StoredSpec } from "../import/storedSpec.ts";
import type { Curve } from "../series/series.ts";
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
      return readByRules(curve, direction).map(([rule, count, value]) => [
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

/** A curve by every checkpoint rule: the rule, the evaluations behind it, the value; NaN where it has none. */
export function readByRules(curve: Curve, direction: "up" | "down"): [rule: string, n: number, value: number][] {
  const window = finalWindow(curve);
  const final = last(curve);
  return [
    ["before", 1, beforeTraining(curve)],
    ["final-window", window.numEvaluations, window.value],
    ["best", 1, best(curve, direction).value],
    ["last", 1, final.iteration > 0 ? final.value : NaN],
  ];
}

/** The four dimensions of a configuration; of a run that another trainer made they are not known. */
export function describeDimensions(spec: StoredSpec | undefined): CsvValue[] {
  if (!spec || isImported(spec)) return [null, null, null, null];
  const { aggregation, clipping, advantage, sampling } = spec.method;
  const masked = "sequenceMask" in clipping && clipping.sequenceMask !== null;
  return [aggregation, masked ? `${clipping.kind}+mask` : clipping.kind, advantage.kind, sampling.kind];
}

function describe({ method, environment, axes, spec }: PlacedCell, { seed }: RunCurve): CsvValue[] {
  return [environment, "all", method, ...describeDimensions(spec), axes, seed];
}
