import type { CellSpec } from "#trainer/spec/run.ts";
import { groupBy } from "#server/domain/groupBy.ts";
import { quantiles } from "#server/domain/statistics/summary.ts";
import type { Calibration } from "#server/domain/sweep/calibration.ts";
import { estimateRunSeconds } from "#server/domain/sweep/estimate.ts";

/** Finished runs of one cell, by the seconds that each held its slots. */
export type Measured = { spec: CellSpec; seconds: readonly number[] };

/** Used against estimated, by today's formula, for each kind of run; runs of other trainers and of pretrained models are left out: nobody estimates them. */
export function calibrate(cells: readonly Measured[]): Calibration[] {
  const ownCells = cells.filter(({ spec }) => spec.trainer === undefined && spec.policy.pretrained === undefined);
  const kinds = groupBy(ownCells, ({ spec }) => JSON.stringify([spec.environment.id, spec.policy.size]));
  return [...kinds.values()].flatMap((kind) => {
    const ratios = kind.flatMap(({ spec, seconds }) => seconds.map((one) => one / estimateRunSeconds(spec)));
    const [first] = kind;
    if (first === undefined || ratios.length === 0) return [];
    const [low = 0, median = 0, high = 0] = quantiles(ratios, [0.05, 0.5, 0.95]);
    const { environment, policy } = first.spec;
    return [{ environment: environment.id, size: policy.size, numRuns: ratios.length, median, low, high }];
  });
}
