import { bootstrapAll, type Interval, tQuantile, dot } from "#packages/statistics";
import { groupByCell } from "./design.ts";
import { averageOver, weightsOf, type Fit } from "./fit.ts";

export type Estimate =
  | {
      kind: "estimate";
      value: number;
      standardError: number;
      interval: Interval;
      /** `bootstrap` resamples seeds within cells of at least five seeds each; `t` uses the pooled error variance. */
      method: "bootstrap" | "t";
    }
  /** The effect is aliased with others in these runs. No missing cell is imputed. */
  | { kind: "notEstimable" };

type Options = { numResamples?: number };

/** Estimates the mean outcome at each level of a factor, averaged equally over all levels of the other factors. */
export function leastSquaresMeans(
  fit: Fit,
  factor: string,
  options: Options = {},
): { level: string; numRuns: number; estimate: Estimate }[] {
  const levels = fit.design.levels[factor] ?? [];
  const estimates = estimateAll(
    fit,
    levels.map((level) => averageOver(fit.design, { [factor]: level })),
    options,
  );
  return levels.map((level, i) => ({
    level,
    numRuns: fit.observations.filter((run) => run.levels[factor] === level).length,
    estimate: estimates[i] ?? { kind: "notEstimable" },
  }));
}

/**
 * Estimates several linear functions of the model's coefficients, with intervals from the same bootstrap resamples.
 * Runs of a cell have equal weights, so each estimate is a sum over cells.
 * @testing
 */
export function estimateAll(fit: Fit, all: readonly (readonly number[])[], options: Options = {}): Estimate[] {
  const { error, observations } = fit;
  const weights = all.map((coefficients) => weightsOf(fit, coefficients));
  const cells = groupByCell(observations.map((run, index) => ({ ...run, index })));
  const strata = cells.map((cell) => cell.map(({ value }) => value));
  const ofCells = weights.map((runWeights) => cells.map(([first]) => runWeights?.[first?.index ?? 0] ?? 0));
  const sumsOf = (drawn: readonly (readonly number[])[]): number[] => {
    const totals = drawn.map((values) => values.reduce((sum, x) => sum + x, 0));
    return ofCells.map((cellWeights) => dot(cellWeights, totals));
  };
  const isBootstrapped = strata.every((values) => values.length >= minForBootstrap);
  const drawn = isBootstrapped ? bootstrapAll(strata, sumsOf, options) : [];
  const values = observations.map(({ value }) => value);
  return weights.map((runWeights, i) => {
    if (!runWeights) return { kind: "notEstimable" };
    const value = dot(runWeights, values);
    const standardError = Math.sqrt((error.squares / error.df) * dot(runWeights, runWeights));
    const interval = drawn[i]?.interval;
    if (interval) return { kind: "estimate", value, standardError, interval, method: "bootstrap" };
    const halfWidth = error.df > 0 ? tQuantile(0.975, error.df) * standardError : NaN;
    const byT = { low: value - halfWidth, high: value + halfWidth };
    return { kind: "estimate", value, standardError, interval: byT, method: "t" };
  });
}

const minForBootstrap = 5;
