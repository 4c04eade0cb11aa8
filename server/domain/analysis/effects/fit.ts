import { mean, decompose, dot, solveTransposed, type Decomposition } from "#packages/statistics";
import { makeDesign, toMatrix, type Design, type Levels, type Observation, type Term } from "./design.ts";
import { prepareError, type ErrorTerm } from "./spaces.ts";

export type Fit = {
  observations: readonly Observation[];
  design: Design;
  decomposition: Decomposition;
  error: ErrorTerm;
};

/** Fits a linear model by least squares. Cells may be missing or have different numbers of seeds. */
export function fitDesign(observations: readonly Observation[], terms: readonly Term[]): Fit {
  const rows = observations.map(({ levels }) => levels);
  const design = makeDesign(rows, terms);
  const decomposition = decompose(toMatrix(design, rows));
  const error = prepareError(observations, decomposition.basis)(observations.map(({ value }) => value));
  return { observations, design, decomposition, error };
}

/**
 * Returns the weight of each run's value, shape (N,), in the estimate of a linear function of the model's coefficients
 * (one per design column). Undefined if the function is not estimable.
 */
export function weightsOf(
  { decomposition }: Pick<Fit, "decomposition">,
  coefficients: readonly number[],
): number[] | undefined {
  const { independent, dependent, basis, triangle } = decomposition;
  const ofIndependent = independent.map((j) => coefficients[j] ?? 0);
  const isEstimable = Array.from(dependent).every(
    ([j, combination]) => Math.abs(dot(combination, ofIndependent) - (coefficients[j] ?? 0)) < 1e-7,
  );
  if (!isEstimable) return undefined;
  const inBasis = solveTransposed(triangle, ofIndependent);
  const numRows = basis[0]?.length ?? 0;
  return Array.from({ length: numRows }, (_, row) =>
    basis.reduce((sum, direction, i) => sum + (inBasis[i] ?? 0) * (direction[row] ?? 0), 0),
  );
}

/**
 * Returns the coefficients of the mean outcome at fixed levels, averaged equally over the levels of the other factors.
 */
export function averageOver({ levels, columns }: Design, fixed: Levels): number[] {
  const free = Object.entries(levels).filter(([factor]) => !(factor in fixed));
  const grid = free.reduce<Levels[]>(
    (cells, [factor, choices]) => cells.flatMap((cell) => choices.map((level) => ({ ...cell, [factor]: level }))),
    [{ ...fixed }],
  );
  return columns.map(({ valueAt }) => mean(grid.map(valueAt)));
}
