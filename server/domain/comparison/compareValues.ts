import { judgeEvidence, evidenceRules } from "#server/domain/statistics/evidence.ts";
import type { Interval } from "#server/domain/statistics/rates.ts";
import { meanInterval } from "#server/domain/statistics/studentT.ts";
import { welchTest } from "#server/domain/statistics/tTests.ts";

/** What a configuration came to, and how it differs from the first one. Undefined where its seeds are too few to tell. */
export type ComparedValue = {
  /** NaN without a value. */
  mean: number;
  n: number;
  /** Half of the 95 % t interval, from three seeds on. */
  halfWidth?: number | undefined;
  /** To the first; undefined for the first itself. */
  difference?: number | undefined;
  /** Welch's, 95 % and two-sided, from three seeds a side on; not corrected for how many are compared. */
  interval?: Interval | undefined;
  p?: number | undefined;
};

/** One value a seed, by configuration; those that are not finite are no values. */
export function compareValues(samples: readonly (readonly number[])[]): ComparedValue[] {
  const finite = samples.map((values) => values.filter(Number.isFinite));
  const [first = []] = finite;
  return finite.map((values, i) => {
    const { mean, halfWidth } = meanInterval(values);
    const test = welchTest(values, first);
    const isTested =
      i > 0 && judgeEvidence(Math.min(values.length, first.length)) !== "none" && Number.isFinite(test.p);
    return {
      mean,
      n: values.length,
      halfWidth: values.length >= evidenceRules.forIntervals ? halfWidth : undefined,
      difference: i === 0 || values.length === 0 || first.length === 0 ? undefined : test.difference,
      interval: isTested ? test.interval : undefined,
      p: isTested ? test.p : undefined,
    };
  });
}
