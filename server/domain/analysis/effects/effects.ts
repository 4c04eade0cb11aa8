import { bootstrapAll, type Interval, tQuantile, dot } from "#packages/statistics";
import { groupByCell, type Levels } from "./design.ts";
import { averageOver, weightsOf, type Fit } from "./fit.ts";

export type Estimate =
  | {
      kind: "estimate";
      value: number;
      standardError: number;
      interval: Interval;
      /**
       * Method of the confidence intervals. `bootstrap` resamples seeds within each cell, and is used if every cell
       * has at least five seeds. `t` uses the pooled error variance.
       */
      method: "bootstrap" | "t";
    }
  /** `notEstimable`: the effect is aliased with other effects in the available runs. No missing cell is imputed. */
  | { kind: "notEstimable" };

export type EstimateOptions = { level?: number; numResamples?: number; seed?: number };

/**
 * Estimates the least-squares means of a factor: the mean outcome at each level, averaged equally over all levels of
 * the other factors.
 */
export function leastSquaresMeans(
  fit: Fit,
  factor: string,
  options: EstimateOptions = {},
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
 * Estimates the mean outcome at the levels `of` minus that at the levels `against`, averaged over the factors that
 * neither names.
 * @testing
 */
export function contrast(
  fit: Fit,
  [of, against]: readonly [of: Levels, against: Levels],
  options: EstimateOptions = {},
): Estimate {
  const [a, b] = [averageOver(fit.design, of), averageOver(fit.design, against)];
  const coefficients = a.map((x, j) => x - (b[j] ?? 0));
  return estimate(fit, coefficients, options);
}

/**
 * Estimates a difference of differences: the first factor's effect at the second factor's high level minus its effect
 * at the low level. In two-level designs the interaction effect is half of it. `levels` maps each factor to its [low,
 * high].
 * @testing
 */
export function interactionContrast(
  fit: Fit,
  levels: Readonly<Record<string, readonly [low: string, high: string]>>,
  options: EstimateOptions = {},
): Estimate {
  const corners = Object.entries(levels).reduce<{ cell: Levels; sign: number }[]>(
    (corners, [factor, [low, high]]) =>
      corners.flatMap(({ cell, sign }) => [
        { cell: { ...cell, [factor]: high }, sign },
        { cell: { ...cell, [factor]: low }, sign: -sign },
      ]),
    [{ cell: {}, sign: 1 }],
  );
  const averages = corners.map(({ cell, sign }) => averageOver(fit.design, cell).map((x) => sign * x));
  return estimate(
    fit,
    fit.design.columns.map((_, j) => averages.reduce((sum, row) => sum + (row[j] ?? 0), 0)),
    options,
  );
}

function estimate(fit: Fit, coefficients: readonly number[], options: EstimateOptions): Estimate {
  return estimateAll(fit, [coefficients], options)[0] ?? { kind: "notEstimable" };
}

/**
 * Estimates several linear functions of the model's coefficients, with intervals from the same bootstrap resamples.
 * Runs of a cell have equal weights, so each estimate is a sum over cells.
 */
function estimateAll(fit: Fit, all: readonly (readonly number[])[], options: EstimateOptions): Estimate[] {
  const { level = 0.95, numResamples = 10_000, seed = 0 } = options;
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
  const drawn = isBootstrapped ? bootstrapAll(strata, sumsOf, { seed, numResamples, level }) : [];
  const values = observations.map(({ value }) => value);
  return weights.map((runWeights, i) => {
    if (!runWeights) return { kind: "notEstimable" };
    const value = dot(runWeights, values);
    const standardError = Math.sqrt((error.squares / error.df) * dot(runWeights, runWeights));
    const interval = drawn[i]?.interval;
    if (interval) return { kind: "estimate", value, standardError, interval, method: "bootstrap" };
    const halfWidth = error.df > 0 ? tQuantile((1 + level) / 2, error.df) * standardError : NaN;
    return {
      kind: "estimate",
      value,
      standardError,
      interval: { low: value - halfWidth, high: value + halfWidth },
      method: "t",
    };
  });
}

const minForBootstrap = 5;
