import { nameOfEnvironment } from "#trainer/spec/environmentTexts.ts";
import type { CellSpec } from "#trainer/spec/run.ts";
import { groupBy } from "#packages/base";
import { quantiles } from "#packages/statistics";
import { sizeOf, type Calibration } from "#server/domain/plan/sweep/calibration.ts";
import { estimateRunSeconds, type ModelSizes } from "#server/domain/plan/sweep/estimate.ts";

/** Finished runs of one cell, with the seconds that each held its slots. */
export type Measured = { spec: CellSpec; seconds: readonly number[] };

/**
 * Actual time divided by the current estimate, per kind of run. Runs of other trainers and of pretrained models of
 * unknown size have no estimate and are excluded.
 */
export function calibrate(cells: readonly Measured[], models: ModelSizes = {}): Calibration[] {
  const estimated = cells.flatMap(({ spec, seconds }) => {
    const estimate = spec.trainer === undefined ? estimateRunSeconds(spec, models) : NaN;
    return Number.isNaN(estimate) ? [] : [{ spec, ratios: seconds.map((one) => one / estimate) }];
  });
  const kinds = groupBy(estimated, ({ spec }) =>
    JSON.stringify([nameOfEnvironment(spec.environment), sizeOf(spec.policy)]),
  );
  return [...kinds.values()].flatMap((kind) => {
    const ratios = kind.flatMap((one) => one.ratios);
    const [first] = kind;
    if (first === undefined || ratios.length === 0) return [];
    const [low = 0, median = 0, high = 0] = quantiles(ratios, [0.05, 0.5, 0.95]);
    const { environment, policy } = first.spec;
    return [
      { environment: nameOfEnvironment(environment), size: sizeOf(policy), numRuns: ratios.length, median, low, high },
    ];
  });
}
