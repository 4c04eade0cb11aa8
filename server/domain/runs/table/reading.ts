import type { Metric } from "#trainer/spec/metric.ts";
import {
  type Curve,
  beforeTraining,
  best,
  countEvaluations,
  finalWindow,
  last,
  type FinalWindow,
} from "#packages/statistics";

/** Values of one metric of a run under every checkpoint rule; NaN if missing. */
export type Reading = {
  /** Value at iteration 0. */
  before: number;
  final: FinalWindow;
  /** Biased, because it is selected on the data that it is reported on. */
  best: number;
  last: number;
  /** Number of evaluations after iteration 0, or at 0 if the run trains no iteration. */
  numEvaluations: number;
  /** Maximum of the values; infinite if any value was not finite, NaN if there are no values. */
  largest: number;
  /** Sum of the values; NaN if there are no values. */
  sum: number;
};

export function readCurve(curve: Curve, { better }: Pick<Metric, "better">): Reading {
  const end = last(curve);
  return {
    before: beforeTraining(curve),
    final: finalWindow(curve),
    best: best(curve, better === "down" ? "down" : "up").value,
    last: end.iteration > 0 || curve.isUntrained ? end.value : NaN,
    numEvaluations: countEvaluations(curve),
    ...addUp(curve),
  };
}

function addUp({ values }: Curve): Pick<Reading, "largest" | "sum"> {
  if (values.length === 0) return { largest: NaN, sum: NaN };
  let [largest, sum] = [-Infinity, 0];
  for (const value of values) {
    largest = Number.isFinite(value) ? Math.max(largest, value) : Infinity;
    sum += value;
  }
  return { largest, sum };
}

export const noReading: Reading = {
  before: NaN,
  final: { value: NaN, numEvaluations: 0, numNonFinite: 0 },
  best: NaN,
  last: NaN,
  numEvaluations: 0,
  largest: NaN,
  sum: NaN,
};
