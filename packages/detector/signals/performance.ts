import { median } from "#packages/statistics";
import type { DetectorConfig } from "../config.ts";
import { drawdownOf, type Drawdown, type Measure, type Source } from "./drawdown.ts";
import { rangeOf } from "./rewardRange.ts";
import { keep, noiseOf } from "./robust.ts";

/** State of the rule that compares success (or, if not logged, reward) with its best value so far, as plain JSON. */
export type PerformanceState = {
  /** Steps of the first and last value. With `count`, they give the interval: sparse values need fewer low values. */
  first: number;
  last: number;
  count: number;
  /** Most recent values, oldest first. */
  values: readonly number[];
  /** For a reward: lowest running median of three values; null before there are three values. */
  lowest: number | null;
  /** For a reward: range at its peak (`rangeOf`); `hasClimbed`: true if the reward rose by the whole range. */
  range: number;
  hasClimbed: boolean;
  /** Success rate before training; null if none was logged. */
  start: number | null;
  peak: number | null;
  /** Consecutive values with a loss (`low`), and back near the peak (`fine`). */
  low: number;
  fine: number;
};

export type PerformanceReading = Drawdown & {
  level: 0 | 1 | 2;
  isCollapsed: boolean;
  isRecovered: boolean;
  /** Running median of the most recent values, and its best value so far. */
  now: number;
  peak: number | null;
  /** Consecutive low values after which a collapse begins, and values near the peak after which it ends. */
  hold: number;
  /** True for a reward that is near its peak and has risen by more than its noise. */
  isAtBest: boolean;
  /** True if the loss is from the rate before training, which is known from the start: no warm-up applies. */
  isFromStart: boolean;
};

type Input = { step: number; value: number; source: Source; isBeforeTraining: boolean };

const fresh = {
  count: 0,
  values: [],
  lowest: null,
  range: 0,
  hasClimbed: false,
  start: null,
  peak: null,
  low: 0,
  fine: 0,
} as const;
const nothingLost: Drawdown = { relative: 0, z: 0 };

/** Advances the comparison of success with its best value by one finite value. */
export function nextPerformance(
  before: PerformanceState | undefined,
  { step, value, source, isBeforeTraining }: Input,
  config: DetectorConfig,
): { state: PerformanceState; reading: PerformanceReading } {
  const earlier: PerformanceState = before ?? { ...fresh, first: step, last: step };
  const count = earlier.count + 1;
  const values = keep(earlier.values, value, 30);
  const lowest =
    count < 3 || source.kind === "rate" ? null : Math.min(earlier.lowest ?? Infinity, medianOfLast(values, 3));
  const { window, hold } = cadenceRule({ first: earlier.first, last: step, count }, config);
  const now = medianOfLast(values, window);
  const isPeakKnown = step >= 8 && count >= Math.min(5, window);
  const peak = isPeakKnown ? Math.max(earlier.peak ?? -Infinity, now) : earlier.peak;

  const isNewPeak = peak !== null && peak !== earlier.peak;
  const { range, hasClimbed } =
    isNewPeak && source.kind === "reward" ? sizeOf(peak - (lowest ?? peak), noiseOf(values)) : earlier;

  const { warning, unstable, collapse, recovered, beforeTraining } = config.performance;
  const levelOf = (loss: Drawdown) => (exceeds(loss, unstable) ? 2 : exceeds(loss, warning) ? 1 : 0);
  const measure = toMeasure(source, values, range);
  const start = isBeforeTraining && beforeTraining && measure.kind === "rate" ? value : earlier.start;
  const fromPeak = peak === null ? nothingLost : drawdownOf(measure, { peak, now, window });
  // Number of values since training began, up to the window. A first value from before training is not counted.
  const numSince = Math.min(window, values.length, Math.max(count - 1, 0));
  const nowSince = start === null || count === 1 ? now : medianOfLast(values, numSince);
  const fromStart =
    start === null || count === 1
      ? nothingLost
      : drawdownOf(measure, { peak: start, peakWindow: 1, now: nowSince, window: numSince });
  const isFromStart = levelOf(fromStart) > levelOf(fromPeak);
  const loss = isFromStart ? fromStart : fromPeak;
  const low = exceeds(fromPeak, collapse) || exceeds(fromStart, collapse) ? earlier.low + 1 : 0;
  const fine = peak !== null && loss.relative <= recovered ? earlier.fine + 1 : 0;
  return {
    state: { first: earlier.first, last: step, count, values, lowest, range, hasClimbed, start, peak, low, fine },
    reading: {
      // The fields are written out, because an object spread took a third of the detector's time.
      relative: loss.relative,
      z: loss.z,
      level: levelOf(loss),
      isCollapsed: low >= hold,
      isRecovered: fine >= hold,
      now: isFromStart ? nowSince : now,
      peak: isFromStart ? start : peak,
      hold,
      isAtBest: hasClimbed && loss.relative <= recovered,
      isFromStart,
    },
  };
}

function medianOfLast(values: readonly number[], count: number): number {
  return median(values, Math.max(0, values.length - count));
}

function sizeOf(climb: number, noise: number): Pick<PerformanceState, "range" | "hasClimbed"> {
  const range = rangeOf(climb, noise);
  return { range, hasClimbed: climb > 0 && climb === range };
}

function exceeds({ z, relative }: Drawdown, [minZ, minShare]: readonly [number, number]): boolean {
  return z >= minZ && relative >= minShare;
}

function toMeasure(source: Source, values: readonly number[], range: number): Measure {
  return source.kind === "rate" ? source : { kind: "reward", noise: () => noiseOf(values), range };
}

type Cadence = Pick<PerformanceState, "first" | "last" | "count">;

/**
 * Returns the median's width and the required low values. Sparse values (every third step or rarer) have medians of few
 * values, and a loss must last for about as many steps as with dense values.
 */
function cadenceRule({ first, last, count }: Cadence, { performance: { dense, sparse } }: DetectorConfig) {
  const cadence = count < 2 ? 1 : Math.round((last - first) / (count - 1));
  return cadence < 3 ? dense : { window: sparse.window, hold: Math.max(sparse.hold, Math.ceil(dense.hold / cadence)) };
}
