import { mean, quantile } from "../statistics/summary.ts";
import { stepsOf } from "./robust.ts";

/**
 * How reliable a curve is, as Chan et al. measure it (ICLR 2020, rl-reliability-metrics): within a run by its falls and
 * its changes, across runs by the tail of their final values. Values finite, oldest first.
 */
export type Reliability = {
  /** Largest fall below the best so far, in units of the metric and as a share of that best. */
  maxDrawdown: number;
  maxRelativeDrawdown: number;
  /** Mean of the worst changes per step. */
  shortTermRisk: number;
  /** Mean of the largest falls below the best so far. */
  longTermRisk: number;
  /** Interquartile range of the changes per step. */
  dispersion: number;
};

export function reliabilityOf(
  points: readonly { step: number; value: number }[],
  { tail = 0.05 }: { tail?: number } = {},
): Reliability {
  const values = points.map(({ value }) => value);
  const falls = drawdowns(values);
  const steps = stepsOf(points.map(({ step }) => step));
  const changes = stepsOf(values).map((change, i) => change / (steps[i] ?? NaN));
  let peak = -Infinity;
  const relative = values.map((x) => {
    peak = Math.max(peak, x);
    return peak > 0 ? 1 - x / peak : 0;
  });
  return {
    maxDrawdown: Math.max(0, ...falls),
    maxRelativeDrawdown: Math.max(0, ...relative),
    shortTermRisk: lowerTail(changes, tail),
    longTermRisk: -lowerTail(
      falls.map((fall) => -fall),
      tail,
    ),
    dispersion: interquartileRange(changes),
  };
}

/** How far each value is below the best so far. (N,) → (N,) */
export function drawdowns(values: readonly number[]): number[] {
  let peak = -Infinity;
  return values.map((x) => {
    peak = Math.max(peak, x);
    return peak - x;
  });
}

/** Mean of the values at or below their quantile: their semantics of the conditional value at risk. */
export function lowerTail(values: readonly number[], share: number): number {
  const limit = quantile(values, share);
  return mean(values.filter((x) => x <= limit));
}

export function interquartileRange(values: readonly number[]): number {
  return quantile(values, 0.75) - quantile(values, 0.25);
}
