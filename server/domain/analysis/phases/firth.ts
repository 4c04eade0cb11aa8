import { dot, addOuter, type Interval, invert } from "#packages/statistics";

/** Runs with equal features, and the number of them with the event (a collapse). */
export type Trials = { features: readonly number[]; numRuns: number; numEvents: number };

export type LogisticFit = {
  /** Coefficients in log-odds, shape (P,). */
  coefficients: readonly number[];
  /** Inverse of the Fisher information at the estimate, shape (P, P). */
  covariance: readonly (readonly number[])[];
};

const maxSteps = 100;
const tolerance = 1e-9;
/** Maximum change per Newton step, in log-odds; larger steps overshoot if all or none of a cell's runs collapsed. */
const longestStep = 3;

/**
 * Fits a logistic regression with Firth's penalty (Biometrika 80, 1993: Jeffreys' prior), finite under complete
 * separation, which is usual with few seeds per cell.
 * @returns undefined if the features are linearly dependent on these runs, or the steps do not converge
 */
export function fitFirth(trials: readonly Trials[]): LogisticFit | undefined {
  const numFeatures = trials[0]?.features.length ?? 0;
  let coefficients: number[] = Array.from({ length: numFeatures }, () => 0);
  for (let step = 0; step < maxSteps; step++) {
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

export function predictLogOdds(
  { coefficients, covariance }: LogisticFit,
  features: readonly number[],
): { logOdds: number; standardError: number } {
  const variance = varianceAlong(covariance, features);
  return { logOdds: dot(coefficients, features), standardError: Math.sqrt(Math.max(0, variance)) };
}

/** Computes xᵀ C x for a covariance C and a direction x. */
export function varianceAlong(covariance: LogisticFit["covariance"], direction: readonly number[]): number {
  return dot(
    direction,
    covariance.map((row) => dot(row, direction)),
  );
}

export function toProbability(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

/** Computes the Fisher information, shape (P, P): Σ n p(1 − p) x xᵀ. */
function informationOf(trials: readonly Trials[], coefficients: readonly number[]): number[][] {
  const information = coefficients.map(() => coefficients.map(() => 0));
  for (const { features, numRuns } of trials) {
    const p = toProbability(dot(coefficients, features));
    addOuter(information, features, numRuns * p * (1 - p));
  }
  return information;
}

/**
 * Computes Firth's penalised score, shape (P,): Σ x (k − n p + h (½ − p)). k of n runs have the event, p is its fitted
 * probability, and h the leverage.
 */
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

export function predictCollapse(fit: LogisticFit, features: readonly number[]): { chance: number } & Interval {
  const { logOdds, standardError } = predictLogOdds(fit, features);
  const reach = 1.959964 * standardError;
  return {
    chance: toProbability(logOdds),
    low: toProbability(logOdds - reach),
    high: toProbability(logOdds + reach),
  };
}
