import { dot } from "#server/domain/effects/decompose.ts";
import { addOuter, invert } from "#server/domain/statistics/symmetric.ts";

/** Runs that share their features: how many there were, and how many of them had the event. */
export type Trials = { features: readonly number[]; numRuns: number; numEvents: number };

export type LogisticFit = {
  /** (P,) in log-odds. */
  coefficients: readonly number[];
  /** (P, P) inverse of the Fisher information at the estimate. */
  covariance: readonly (readonly number[])[];
};

const mostSteps = 100;
const tolerance = 1e-9;
/** Log-odds a coefficient may move in one step: far steps overshoot where every cell is all or nothing. */
const longestStep = 3;

/**
 * Logistic regression with Firth's penalty (Biometrika 80, 1993: Jeffreys' prior), whose estimates are finite where a line parts the
 * events from the rest without an exception. Few seeds in a cell make that the usual case.
 * @returns undefined where the features are linearly dependent on these runs, or the steps do not end
 */
export function fitFirth(trials: readonly Trials[]): LogisticFit | undefined {
  const numFeatures = trials[0]?.features.length ?? 0;
  let coefficients: number[] = Array.from({ length: numFeatures }, () => 0);
  for (let step = 0; step < mostSteps; step++) {
    const covariance = invert(informationOf(trials, coefficients))?.inverse;
    if (!covariance) return undefined;
    const score = scoreOf(trials, coefficients, covariance);
    const move = covariance.map((row) => dot(row, score));
    const largest = move.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    if (largest < tolerance) return { coefficients, covariance };
    const scale = Math.min(1, longestStep / largest);
    coefficients = coefficients.map((coefficient, j) => coefficient + scale * (move[j] ?? 0));
  }
  return undefined;
}

/** Log-odds of the event at some features, and their standard error. */
export function predictLogOdds(
  { coefficients, covariance }: LogisticFit,
  features: readonly number[],
): { logOdds: number; standardError: number } {
  const variance = dot(
    features,
    covariance.map((row) => dot(row, features)),
  );
  return { logOdds: dot(coefficients, features), standardError: Math.sqrt(Math.max(0, variance)) };
}

export function toProbability(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

/** (P, P) the Fisher information: Σ n p(1 − p) x xᵀ. */
function informationOf(trials: readonly Trials[], coefficients: readonly number[]): number[][] {
  const information = coefficients.map(() => coefficients.map(() => 0));
  for (const { features, numRuns } of trials) {
    const p = toProbability(dot(coefficients, features));
    addOuter(information, features, numRuns * p * (1 - p));
  }
  return information;
}

/** (P,) the penalised score: Σ x (k − n p + h (½ − p)), h the leverage of the cell. */
function scoreOf(
  trials: readonly Trials[],
  coefficients: readonly number[],
  covariance: readonly (readonly number[])[],
): number[] {
  const score = coefficients.map(() => 0);
  for (const { features, numRuns, numEvents } of trials) {
    const { logOdds, standardError } = predictLogOdds({ coefficients, covariance }, features);
    const p = toProbability(logOdds);
    const leverage = numRuns * p * (1 - p) * standardError ** 2;
    const residual = numEvents - numRuns * p + leverage * (0.5 - p);
    for (let j = 0; j < score.length; j++) score[j] = (score[j] ?? 0) + residual * (features[j] ?? 0);
  }
  return score;
}
