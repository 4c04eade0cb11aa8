import { arcsineError, medianNoise, toArcsine } from "./arcsine.ts";

/** A rate with the number of independent episodes behind each value, or a reward, whose zero and unit say nothing. */
export type Source = { kind: "rate"; numEffective: number } | { kind: "reward" };

/**
 * How much of a peak is lost, and how surely. Of a rate, the noise is known from the number of episodes behind it, and a
 * loss is a share of the peak. Of a reward the noise is estimated, and a loss is a share of its range (`rangeOf`), both
 * in its own units; the noise is asked for where something is lost.
 */
export type Measure = Extract<Source, { kind: "rate" }> | { kind: "reward"; noise: () => number; range: number };

export type Drawdown = {
  /** Share of the peak that is lost; of a reward, of its range, which may be more than 1. */
  relative: number;
  /** Of the loss, in standard errors of a difference of two medians. */
  z: number;
};

type Fall = { peak: number; now: number; window: number; peakWindow?: number };

/** Of medians of `window` values each, or with a peak that is the median of another number of them. */
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
