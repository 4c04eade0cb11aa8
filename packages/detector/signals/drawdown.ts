import { arcsineError, medianNoise, toArcsine } from "./robust.ts";

/** A rate with the effective number of episodes per value, or a reward with arbitrary zero and unit. */
export type Source = { kind: "rate"; numEffective: number } | { kind: "reward" };

/**
 * Noise model of a drawdown, the drop below a peak. For a rate, the noise follows from the number of episodes, and the
 * drop is a fraction of the peak. For a reward, the noise is estimated when needed, and the drop is a fraction of the
 * reward's range (`rangeOf`).
 */
export type Measure = Extract<Source, { kind: "rate" }> | { kind: "reward"; noise: () => number; range: number };

export type Drawdown = {
  /** Drop as a fraction of the peak; for a reward, as a fraction of its range, which may exceed 1. */
  relative: number;
  /** Significance: drop in standard errors of the difference between two medians. */
  z: number;
};

type Fall = { peak: number; now: number; window: number; peakWindow?: number };

/** Computes the drop below a peak. Both are medians of `window` values, or the peak is one of `peakWindow`. */
export function drawdownOf(measure: Measure, { peak, now, window, peakWindow = window }: Fall) {
  if (peak <= now) return { relative: 0, z: 0 } satisfies Drawdown;
  if (measure.kind === "rate") {
    const { numEffective } = measure;
    const error = Math.hypot(arcsineError(numEffective, peakWindow), arcsineError(numEffective, window));
    return { relative: 1 - now / peak, z: (toArcsine(peak) - toArcsine(now)) / error };
  }
  const error = (Math.SQRT2 * medianNoise * measure.noise()) / Math.sqrt(window);
  const { range } = measure;
  return { relative: range > 0 ? (peak - now) / range : 0, z: error > 0 ? (peak - now) / error : 1e9 };
}
