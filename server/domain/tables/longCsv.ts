import { describeMetric } from "#trainer/spec/metric.ts";
import { sequenceMaskOf } from "#trainer/spec/traits.ts";
import { toCsvText, type CsvValue } from "./csv.ts";
import { isImported, type StoredSpec } from "#server/domain/import/storedSpec.ts";
import { placeCells, type PlacedCell, type RunCurve, type TableInput } from "./input.ts";
import { readCurve, type Reading } from "./reading.ts";

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
  const metric = describeMetric(input.metric);
  const lines = placeCells(input).flatMap((cell) =>
    cell.curves.flatMap((curve) => {
      return listByRule(readCurve(curve, metric)).map(([rule, count, value]) => [
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

/** A reading as lines: the rule, the evaluations behind it, the value; NaN where it has none. */
export function listByRule({ before, final, best, last }: Reading): [rule: string, n: number, value: number][] {
  return [
    ["before", 1, before],
    ["final-window", final.numEvaluations, final.value],
    ["best", 1, best],
    ["last", 1, last],
  ];
}

/** The four dimensions of a configuration; of a run that another trainer made they are not known. */
export function describeDimensions(spec: StoredSpec | undefined): CsvValue[] {
  if (!spec || isImported(spec)) return [null, null, null, null];
  const { aggregation, clipping, advantage, sampling } = spec.method;
  return [
    aggregation,
    sequenceMaskOf(clipping) ? `${clipping.kind}+mask` : clipping.kind,
    advantage.kind,
    sampling.kind,
  ];
}

function describe({ method, environment, axes, spec }: PlacedCell, { seed }: RunCurve): CsvValue[] {
  return [environment, "all", method, ...describeDimensions(spec), axes, seed];
}
