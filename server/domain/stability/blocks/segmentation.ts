import { robustStd, stepsOf } from "../robust.ts";

export type Segmentation = {
  /** Where segments end, exclusive; the last is the number of values. */
  ends: number[];
  /** Squared error plus penalties, less one penalty: m segments pay for m − 1 changes. */
  objective: number;
};

/** Exact optimal partition of a series into constant pieces, by squared error (Jackson et al. 2005). O(N²). */
export function segment(
  values: readonly number[],
  { penalty, minLength = 2 }: { penalty: number; minLength?: number },
): Segmentation {
  const sums = [0];
  const squares = [0];
  for (const x of values) {
    sums.push((sums.at(-1) ?? 0) + x);
    squares.push((squares.at(-1) ?? 0) + x * x);
  }
  const cost = (from: number, to: number) => {
    const sum = (sums[to] ?? NaN) - (sums[from] ?? NaN);
    return (squares[to] ?? NaN) - (squares[from] ?? NaN) - (sum * sum) / (to - from);
  };
  const best: { objective: number; from: number }[] = [{ objective: -penalty, from: 0 }];
  for (let to = 1; to <= values.length; to++) {
    best.push({ objective: Infinity, from: 0 });
    for (let from = 0; from <= to - minLength; from++) {
      const objective = (best[from]?.objective ?? Infinity) + penalty + cost(from, to);
      if (objective < (best[to]?.objective ?? Infinity)) best[to] = { objective, from };
    }
  }
  const ends: number[] = [];
  for (let to = values.length; to > 0; to = best[to]?.from ?? 0) ends.unshift(to);
  return { ends, objective: best.at(-1)?.objective ?? 0 };
}

/** 3σ² ln n, widened by the autocorrelation of noise around the trend: what a change of level has to be worth. */
export function segmentPenalty(values: readonly number[]): number {
  const noise = robustStd(stepsOf(values)) / Math.SQRT2;
  const steps = stepsOf(values);
  const mean = steps.reduce((sum, x) => sum + x, 0) / steps.length;
  const variance = steps.reduce((sum, x) => sum + (x - mean) ** 2, 0);
  const lagged = steps.slice(1).reduce((sum, x, i) => sum + (x - mean) * ((steps[i] ?? 0) - mean), 0);
  // Steps of white noise correlate by −½; what is above that is the noise's own, φ = 1 + 2ρ of an AR(1).
  const phi = variance > 0 ? Math.min(0.9, Math.max(0, 1 + 2 * (lagged / variance))) : 0;
  return (3 * noise ** 2 * Math.log(values.length) * (1 + phi)) / (1 - phi);
}
