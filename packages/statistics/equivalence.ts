import { tQuantile, tUpperTail } from "./distributions.ts";
import type { Interval } from "./rates.ts";
import { pairedTTest } from "./twoSampleTests.ts";

/**
 * Result of two one-sided t-tests of equivalence (TOST). `notBelow`: p-value against a difference of at most −margin.
 * `notAbove`: p-value against a difference of at least +margin. `p`: the larger of the two.
 */
export type Equivalence = {
  difference: number;
  /** 90 % interval of the difference, which lies within ±margin exactly if p < 0.05. */
  interval: Interval;
  notBelow: number;
  notAbove: number;
  p: number;
  numPairs: number;
};

/**
 * Tests if the mean paired difference lies within ±margin (Schuirmann, J. Pharmacokinet. Biopharm. 15, 1987). With
 * fewer than two pairs, or if all differences are equal, everything except the difference is NaN.
 */
export function testEquivalence(x: readonly number[], y: readonly number[], margin: number): Equivalence {
  const { df, difference, interval } = pairedTTest(x, y, 0.9);
  const error = (interval.high - difference) / tQuantile(0.95, df);
  const notBelow = tUpperTail((difference + margin) / error, df);
  const notAbove = tUpperTail((margin - difference) / error, df);
  return { difference, interval, notBelow, notAbove, p: Math.max(notBelow, notAbove), numPairs: x.length };
}
