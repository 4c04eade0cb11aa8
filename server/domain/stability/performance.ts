import { median } from "../statistics/summary.ts";
import type { DetectorConfig } from "./config.ts";
import { drawdownOf, type Drawdown, type Measure } from "./drawdown.ts";
import { noiseOf } from "./robust.ts";

/** Success (or, without it, reward) against the best it has been; plain JSON. */
export type PerformanceState = {
  /** Steps of the first and the last value: values that come every few steps are held for fewer of them. */
  first: number;
  last: number;
  count: number;
  /** The last values, oldest first. */
  values: readonly number[];
  /** Lowest of the first values: what there is to lose to. */
  floor: number;
  peak: number | null;
  /** Values in a row that were low, and that were back near the peak. */
  low: number;
  fine: number;
};

export type PerformanceReading = Drawdown & {
  level: 0 | 1 | 2;
  isCollapsed: boolean;
  isRecovered: boolean;
  /** Medians. */
  now: number;
  peak: number | null;
  /** Values in a row that a collapse, or its end, takes. */
  hold: number;
};

/** A rate with the number of independent episodes behind each value, or a reward. */
export type PerformanceSource = { kind: "rate"; numEffective: number } | { kind: "reward" };

type Input = { step: number; value: number; source: PerformanceSource };

/** Takes one finite value. */
export function nextPerformance(
  before: PerformanceState | undefined,
  { step, value, source }: Input,
  config: DetectorConfig,
): { state: PerformanceState; reading: PerformanceReading } {
  const earlier = before ?? { first: step, last: step, count: 0, values: [], floor: 0, peak: null, low: 0, fine: 0 };
  const count = earlier.count + 1;
  const values = [...earlier.values, value].slice(-30);
  const floor = count <= 20 ? Math.min(earlier.floor, value) : earlier.floor;
  const { window, hold } = cadenceRule({ ...earlier, last: step, count }, config);
  const now = median(values.slice(-window));
  const isPeakKnown = step >= 8 && count >= Math.min(5, window);
  const peak = isPeakKnown ? Math.max(earlier.peak ?? -Infinity, now) : earlier.peak;

  const { warning, unstable, collapse, recovered } = config.performance;
  const loss =
    peak === null ? { relative: 0, z: 0 } : drawdownOf(toMeasure(source, values, floor), { peak, now, window });
  const exceeds = ([z, relative]: readonly [number, number]) => loss.z >= z && loss.relative >= relative;
  const low = exceeds(collapse) ? earlier.low + 1 : 0;
  const fine = peak !== null && loss.relative <= recovered ? earlier.fine + 1 : 0;
  return {
    state: { first: earlier.first, last: step, count, values, floor, peak, low, fine },
    reading: {
      ...loss,
      level: exceeds(unstable) ? 2 : exceeds(warning) ? 1 : 0,
      isCollapsed: low >= hold,
      isRecovered: fine >= hold,
      now,
      peak,
      hold,
    },
  };
}

function toMeasure(source: PerformanceSource, values: readonly number[], floor: number): Measure {
  return source.kind === "rate" ? source : { kind: "reward", noise: noiseOf(values), floor };
}

/** A value every third step or rarer: medians of few values, held for about as many steps as dense ones. */
function cadenceRule({ first, last, count }: PerformanceState, { performance: { dense, sparse } }: DetectorConfig) {
  const cadence = count < 2 ? 1 : Math.round((last - first) / (count - 1));
  return cadence < 3 ? dense : { window: sparse.window, hold: Math.max(sparse.hold, Math.ceil(dense.hold / cadence)) };
}
