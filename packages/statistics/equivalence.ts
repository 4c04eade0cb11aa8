import { tQuantile, tUpperTail } from "./distributions.ts";
import { type Looks, nominalLevel, sequentialP } from "./groupSequential.ts";
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
 * fewer than two pairs, or if all differences are equal, everything except the difference is NaN. Interval and p allow
 * for all looks.
 */
export function testEquivalence(
  x: readonly number[],
  y: readonly number[],
  { margin, looks = [] }: { margin: number; looks?: Looks },
): Equivalence {
  const level = 1 - nominalLevel(0.1, looks);
  const { df, difference, interval } = pairedTTest(x, y, level);
  const error = (interval.high - difference) / tQuantile((1 + level) / 2, df);
  const test = (distance: number) => {
    const p = tUpperTail(distance / error, df);
    // One side of the two-sided test at twice the level.
    return p < 0.5 ? sequentialP(2 * p, looks) / 2 : p;
  };
  const [notBelow, notAbove] = [test(difference + margin), test(margin - difference)];
  return { difference, interval, notBelow, notAbove, p: Math.max(notBelow, notAbove), numPairs: x.length };
}
