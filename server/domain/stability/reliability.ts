import { mean, quantile } from "../statistics/summary.ts";
import { lowestSoFar, rangeOf } from "./rewardRange.ts";
import { noiseOf, stepsOf } from "./robust.ts";

/**
 * How reliable a curve is, as Chan et al. measure it (ICLR 2020, rl-reliability-metrics): within a run by its falls and
 * its changes, across runs by the tail of their final values. Values finite, oldest first.
 */
export type Reliability = {
  /** Largest fall below the best so far, in units of the metric and as a share: of that best, or of a reward's range. */
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
  { tail = 0.05, kind = "rate" }: { tail?: number; kind?: "rate" | "reward" } = {},
): Reliability {
  const values = points.map(({ value }) => value);
  const falls = drawdowns(values);
  const steps = stepsOf(points.map(({ step }) => step));
  const changes = stepsOf(values).map((change, i) => change / (steps[i] ?? NaN));
  const ranges = kind === "rate" ? runningPeaks(values) : runningRanges(values);
  const relative = falls.map((fall, i) => ((ranges[i] ?? 0) > 0 ? fall / (ranges[i] ?? NaN) : 0));
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

function runningPeaks(values: readonly number[]): number[] {
  let peak = -Infinity;
  return values.map((x) => (peak = Math.max(peak, x)));
}

function runningRanges(values: readonly number[]): number[] {
  const [peaks, lowest, noise] = [runningPeaks(values), lowestSoFar(values), noiseOf(values)];
  let range = 0;
  return peaks.map((peak, i) => {
    if (i === 0 || peak > (peaks[i - 1] ?? peak)) range = rangeOf(peak - (lowest[i] ?? peak), noise);
    return range;
  });
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
