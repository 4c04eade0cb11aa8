import type { Metric } from "#trainer/spec/metric.ts";
import type { Curve } from "#server/domain/series/series.ts";
import {
  beforeTraining,
  best,
  countEvaluations,
  finalWindow,
  last,
  type FinalWindow,
} from "#server/domain/statistics/curve.ts";

/** A curve by every checkpoint rule: all that a table needs of it. NaN where it has no value. */
export type Reading = {
  /** At iteration 0. */
  before: number;
  final: FinalWindow;
  /** Selected on the same data. */
  best: number;
  last: number;
  /** Evaluations after training began. */
  numEvaluations: number;
};

export function readCurve(curve: Curve, { better }: Pick<Metric, "better">): Reading {
  const end = last(curve);
  return {
    before: beforeTraining(curve),
    final: finalWindow(curve),
    best: best(curve, better === "down" ? "down" : "up").value,
    last: end.iteration > 0 ? end.value : NaN,
    numEvaluations: countEvaluations(curve),
  };
}

export const noReading: Reading = {
  before: NaN,
  final: { value: NaN, numEvaluations: 0, numNonFinite: 0 },
  best: NaN,
  last: NaN,
  numEvaluations: 0,
};
