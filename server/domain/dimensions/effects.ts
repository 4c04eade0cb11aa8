import { bootstrap } from "../statistics/bootstrap.ts";
import type { Interval } from "../statistics/rates.ts";
import { tQuantile } from "../statistics/studentT.ts";
import { dot } from "./decompose.ts";
import { groupByCell, type Levels } from "./design.ts";
import { averageOver, weightsOf, type Fit } from "./fit.ts";

export type Estimate =
  | {
      kind: "estimate";
      value: number;
      standardError: number;
      interval: Interval;
      /** `bootstrap`: seeds drawn anew within each cell, from five seeds a cell on. `t`: with the pooled error. */
      method: "bootstrap" | "t";
    }
  /** The runs there are cannot tell it from other effects. Nothing is filled in. */
  | { kind: "notEstimable" };

export type EstimateOptions = { level?: number; numResamples?: number; seed?: number };

/** Least-squares means: what each level of a factor gives on average over all combinations of the others, equally weighed. */
export function leastSquaresMeans(
  fit: Fit,
  factor: string,
  options: EstimateOptions = {},
): { level: string; numRuns: number; estimate: Estimate }[] {
  return (fit.design.levels[factor] ?? []).map((level) => ({
    level,
    numRuns: fit.observations.filter(({ levels }) => levels[factor] === level).length,
    estimate: estimate(fit, averageOver(fit.design, { [factor]: level }), options),
  }));
}

/** How much more the first set of levels gives than the second, averaged over the factors that neither names. */
export function contrast(fit: Fit, of: Levels, against: Levels, options: EstimateOptions = {}): Estimate {
  const [a, b] = [averageOver(fit.design, of), averageOver(fit.design, against)];
  const coefficients = a.map((x, j) => x - (b[j] ?? 0));
  return estimate(fit, coefficients, options);
}

/**
 * Difference of differences: how much the change of the first factor is greater with the second one high than low. Half of
 * it is the interaction effect of two-level designs. Pairs are [low, high].
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
  const weights = weightsOf(fit, coefficients);
  if (!weights) return { kind: "notEstimable" };
  const { level = 0.95, numResamples = 10_000, seed = 0 } = options;
  const { error, observations } = fit;
  const value = dot(
    weights,
    observations.map((observation) => observation.value),
  );
  const standardError = Math.sqrt((error.squares / error.df) * dot(weights, weights));
  const strata = weightedCells(fit, weights);
  if (strata.every((values) => values.length >= fewestForBootstrap)) {
    const sumOf = (drawn: readonly (readonly number[])[]): number =>
      drawn.reduce((sum, values) => sum + values.reduce((total, x) => total + x, 0), 0);
    const { interval } = bootstrap(strata, sumOf, { seed, numResamples, level });
    return { kind: "estimate", value, standardError, interval, method: "bootstrap" };
  }
  const halfWidth = error.df > 0 ? tQuantile((1 + level) / 2, error.df) * standardError : NaN;
  const interval = { low: value - halfWidth, high: value + halfWidth };
  return { kind: "estimate", value, standardError, interval, method: "t" };
}

const fewestForBootstrap = 5;

/** Values times their weight by cell. A cell's runs have equal levels and hence equal weights, so they can trade places. */
function weightedCells({ observations }: Fit, weights: readonly number[]): number[][] {
  const weighted = observations.map((observation, i) => ({
    ...observation,
    value: observation.value * (weights[i] ?? 0),
  }));
  return groupByCell(weighted).map((cell) => cell.map(({ value }) => value));
}
